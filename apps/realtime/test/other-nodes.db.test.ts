/** Whom a node that starts waits for. */
import { NOTIFIED_WITHIN_MS } from '@clarion/db';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createOtherNodes } from '../src/sockets/other-nodes.ts';
import { RealtimeFixture } from './fixture.ts';

let fixture: RealtimeFixture;
beforeAll(async () => {
  fixture = await RealtimeFixture.create();
});
afterAll(() => fixture.close());

async function introductionMs(): Promise<number> {
  const nodes = createOtherNodes(fixture.db, 'realtime-new', () => true);
  const startedAt = performance.now();
  await nodes.introduced();
  return performance.now() - startedAt;
}

/** A node that has just started listens a little later; until then it trusts nothing that it has cached. */
async function listeners(nodeId: string): Promise<number> {
  const [row] = await fixture.db.$queryRaw<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity where application_name = ${nodeId}`;
  return row?.count ?? 0;
}

test('a node that starts waits for nodes that run, but not for one that was killed', async () => {
  await fixture.db.realtimeNode.create({ data: { id: 'realtime-killed' } });
  expect(await introductionMs()).toBeLessThan(NOTIFIED_WITHIN_MS);
  const running = await fixture.startNode();
  await vi.waitFor(async () => expect(await listeners(running.nodeId)).toBe(1), { timeout: 10_000 });
  expect(await introductionMs()).toBeGreaterThanOrEqual(NOTIFIED_WITHIN_MS - 1);
  await running.stop();
  await vi.waitFor(async () => expect(await listeners(running.nodeId)).toBe(0), { timeout: 10_000 });
  expect(await introductionMs()).toBeLessThan(NOTIFIED_WITHIN_MS);
});
