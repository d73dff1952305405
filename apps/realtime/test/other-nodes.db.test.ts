/** Whom a node that starts waits for. */
import { NOTIFIED_WITHIN_MS } from '@clarion/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

test('a node that starts waits for nodes that run, but not for one that was killed', async () => {
  await fixture.db.realtimeNode.create({ data: { id: 'realtime-killed' } });
  expect(await introductionMs()).toBeLessThan(NOTIFIED_WITHIN_MS);
  const running = await fixture.startNode();
  expect(await introductionMs()).toBeGreaterThanOrEqual(NOTIFIED_WITHIN_MS - 1);
  await running.stop();
  expect(await introductionMs()).toBeLessThan(NOTIFIED_WITHIN_MS);
});
