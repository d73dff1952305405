/** CLARION_MAX_CALL_SECONDS, with the database and a node's timers. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { Realtime } from '../src/server.ts';
import { RealtimeFixture } from './fixture.ts';

/** Shorter than the minimum an operator may set. */
const MAX_CALL_SECONDS = 2;

let fixture: RealtimeFixture;
let node: Realtime & { url: string };
let media: FakeMedia;

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  node = await fixture.startNode({ maxCallSeconds: MAX_CALL_SECONDS });
  media = await fixture.media([node]);
});
afterAll(() => fixture.close());

test('a conversation that reaches the maximum duration ends as COMPLETED by SYSTEM, and the carrier receives a BYE', async () => {
  const owner = await fixture.agent('ada');
  const line = await fixture.line({ ownerAgentId: owner.id });
  const app = await fixture.app(node, 'ada');
  const { callId } = await media.ring({ requestUser: line.address });
  await app.next('call:incoming');
  await app.ask('call:accept', { callId, sdpOffer: 'offer' });
  const call = await fixture.ended(callId);
  expect(call).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'SYSTEM' });
  expect(call.answeredAt).not.toBeNull();
  const lasted = Number(call.endedAt) - Number(call.createdAt);
  expect(lasted).toBeGreaterThanOrEqual(MAX_CALL_SECONDS * 1000);
  expect(lasted).toBeLessThan(MAX_CALL_SECONDS * 1000 + 1_500);
  expect(await media.command('call:release', callId)).not.toHaveProperty('status');
  expect(await fixture.agentRow(owner.id)).toMatchObject({ currentCallId: null });
  app.close();
});

test('a caller who waits in a queue without max_wait_seconds is rejected at the maximum duration: TIMEOUT, 480', async () => {
  const queue = await fixture.queue([], { maxWaitSeconds: null });
  const line = await fixture.line({ inboundQueueId: queue.id });
  const { callId } = await media.ring({ requestUser: line.address });
  expect(await fixture.ended(callId)).toMatchObject({
    terminationReason: 'TIMEOUT',
    terminatedBy: 'SYSTEM',
    failureDetails: { message: expect.stringContaining('maximum duration') },
  });
  expect(await media.command('call:release', callId)).toMatchObject({ status: 480 });
});
