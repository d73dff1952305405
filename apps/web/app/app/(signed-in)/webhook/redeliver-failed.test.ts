import { afterEach, expect, test, vi } from 'vitest';
import { MAX_REDELIVERIES, redeliverFailed } from './redeliver-failed.ts';
import type { RedeliverProgress } from './redeliver-failed.ts';

const from = new Date('2026-01-05T09:00:00Z');
afterEach(() => vi.unstubAllGlobals());

/** A service with a number of failed events, which records the requests. */
function service(failed: number, refuse: (eventId: string) => number | null = () => null): string[] {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (address: string, { method }: RequestInit) => {
    asked.push(`${method} ${address}`);
    if (method === 'GET') {
      const query = new URLSearchParams(address.split('?')[1]);
      const newest = Number(query.get('before_id') ?? failed + 1) - 1;
      const count = Math.min(Number(query.get('limit')), newest);
      const events = Array.from({ length: count }, (_, index) => ({ eventId: String(newest - index) }));
      return Promise.resolve(
        Response.json({ events, nextBeforeId: count === 0 ? null : newest - count + 1 }),
      );
    }
    const status = refuse(address.split('/')[3] ?? '');
    if (status === null) return Promise.resolve(Response.json({ event: {} }, { status: 202 }));
    const code = status === 404 ? 'not_found' : 'invalid_state';
    return Promise.resolve(Response.json({ error: { code, message: 'No.' } }, { status }));
  });
  return asked;
}

async function run(signal = new AbortController().signal): Promise<RedeliverProgress[]> {
  const seen: RedeliverProgress[] = [];
  await redeliverFailed(from, signal, (progress) => seen.push(progress));
  return seen;
}

test('each failed event of the period is redelivered once, with progress', async () => {
  const asked = service(250);
  const seen = await run();
  const sent = asked.filter((one) => one.startsWith('POST'));
  expect(new Set(sent).size).toBe(250);
  expect(sent).toHaveLength(250);
  expect(asked[0]).toContain('status=FAILED');
  expect(asked[0]).toContain('from=2026-01-05T09%3A00%3A00.000Z');
  expect(seen[0]).toEqual({ found: null, sent: 0, finished: false, more: false });
  expect(seen.at(-1)).toEqual({ found: 250, sent: 250, finished: true, more: false });
});

test('there is a limit, and the result says if there are more', async () => {
  const asked = service(5_000);
  const seen = await run();
  expect(asked.filter((one) => one.startsWith('POST'))).toHaveLength(MAX_REDELIVERIES);
  expect(seen.at(-1)).toMatchObject({ found: MAX_REDELIVERIES, finished: true, more: true });
});

test('an event that was deleted in the meantime is skipped; any other error ends the run', async () => {
  service(3, (eventId) => (eventId === '2' ? 404 : null));
  expect((await run()).at(-1)).toMatchObject({ found: 3, sent: 3, finished: true });
  service(3, () => 409);
  await expect(run()).rejects.toMatchObject({ status: 409 });
});

test('stopping does not redeliver the remaining events', async () => {
  const asked = service(100);
  const stop = new AbortController();
  await redeliverFailed(from, stop.signal, ({ sent }) => sent === 10 && stop.abort());
  expect(asked.filter((one) => one.startsWith('POST')).length).toBeLessThan(20);
});
