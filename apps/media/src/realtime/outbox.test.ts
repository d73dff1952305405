import type { MediaFactMessage } from '@clarion/protocol/media';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { monotonicTime } from '../monotonic-time.ts';
import { FACT_RETRY_MS, Outbox } from './outbox.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const fact = (legId: string) => ({ callId: 1, legId, at: '2026-01-01T00:00:00.000Z' });

test('a fact is repeated unchanged until it is acked, and later facts of the leg wait', async () => {
  const seen: MediaFactMessage[] = [];
  let failures = 3;
  const outbox = new Outbox((message) => {
    seen.push(message);
    return Promise.resolve(failures-- <= 0);
  });
  outbox.put('leg:interrupted', fact('a'));
  outbox.put('leg:restored', fact('a'));
  await vi.advanceTimersByTimeAsync(FACT_RETRY_MS * 5);
  expect(seen.map((message) => message.fact)).toEqual([
    ...Array.from({ length: 4 }, () => 'leg:interrupted'),
    'leg:restored',
  ]);
  expect(new Set(seen.slice(0, 4).map((message) => message.factId)).size).toBe(1);
  expect(outbox.size).toBe(0);
});

test('each repetition of a fact has its age by the monotonic clock, whatever happens to the wall clock', async () => {
  const seen: MediaFactMessage[] = [];
  const outbox = new Outbox((message) => {
    seen.push(message);
    vi.setSystemTime('2026-01-01T00:00:00.000Z');
    return Promise.resolve(seen.length > 2);
  });
  outbox.put('leg:interrupted', { ...fact('a'), at: monotonicTime() });
  await vi.advanceTimersByTimeAsync(2 * FACT_RETRY_MS);
  const ages = seen.map(({ sent }) => Math.round((sent?.ageMs ?? NaN) / 10) * 10);
  expect(ages).toEqual([0, FACT_RETRY_MS, 2 * FACT_RETRY_MS]);
  const [first, , last] = seen.map(({ sent }) => (sent ? sent.clockMs - sent.ageMs : NaN));
  expect(last).toBeCloseTo(first ?? NaN);
  expect(new Set(seen.map(({ payload }) => payload.at)).size).toBe(1);
});

test('a fact that is not acked does not delay the facts of another leg', async () => {
  const acked: string[] = [];
  const outbox = new Outbox((message) => {
    if (message.payload.legId === 'stuck') return Promise.resolve(false);
    acked.push(message.payload.legId);
    return Promise.resolve(true);
  });
  outbox.put('leg:interrupted', fact('stuck'));
  outbox.put('leg:interrupted', fact('free'));
  await vi.advanceTimersByTimeAsync(FACT_RETRY_MS);
  expect(acked).toEqual(['free']);
  expect(outbox.size).toBe(1);
  outbox.close();
});

test('a fact about two legs waits for earlier facts of both, and later facts of both wait for it', async () => {
  const seen: string[] = [];
  const acks = new Map<string, (acked: boolean) => void>();
  const outbox = new Outbox(({ fact: name, payload: { legId } }) => {
    seen.push(`${name} ${legId}`);
    return new Promise((resolve) => acks.set(`${name} ${legId}`, resolve));
  });
  const ack = (name: string) => {
    acks.get(name)?.(true);
    return vi.advanceTimersByTimeAsync(0);
  };
  outbox.put('leg:restored', fact('agent'));
  outbox.put('leg:connected', { ...fact('customer'), codec: 'PCMA' }, { otherLegId: 'agent' });
  outbox.put('leg:interrupted', fact('agent'));
  outbox.put('leg:interrupted', fact('customer'));
  expect(seen).toEqual(['leg:restored agent']);
  await ack('leg:restored agent');
  expect(seen.slice(1)).toEqual(['leg:connected customer']);
  expect(outbox.size).toBe(3);
  await ack('leg:connected customer');
  expect(seen.slice(2).toSorted()).toEqual(['leg:interrupted agent', 'leg:interrupted customer']);
  await ack('leg:interrupted agent');
  await ack('leg:interrupted customer');
  expect(outbox.size).toBe(0);
});

test('waiting for all acks is limited in time', async () => {
  const outbox = new Outbox(() => Promise.resolve(false));
  outbox.put('leg:interrupted', fact('stuck'));
  const flushed = outbox.flushed(1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  await flushed;
  expect(outbox.size).toBe(1);
  outbox.close();
});

test('text from the remote party is sent without characters that PostgreSQL cannot store', async () => {
  const seen: MediaFactMessage[] = [];
  const outbox = new Outbox((message) => {
    seen.push(message);
    return Promise.resolve(true);
  });
  outbox.put('leg:connected', { ...fact('a'), codec: 'PC\0MA \ud83d' });
  await outbox.flushed(1_000);
  expect(seen).toMatchObject([{ payload: { codec: 'PCMA \ufffd' } }]);
});
