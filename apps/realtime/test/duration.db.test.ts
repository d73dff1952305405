/** CLARION_MAX_CALL_SECONDS, through the database and a node's timers. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { Realtime } from '../src/server.ts';
import { World } from './world.ts';

/** Shorter than the minimum an operator may set. */
const MAX_CALL_SECONDS = 2;

let world: World;
let node: Realtime & { url: string };
let media: FakeMedia;

beforeAll(async () => {
  world = await World.create();
  node = await world.startNode({ maxCallSeconds: MAX_CALL_SECONDS });
  media = await world.media([node]);
});
afterAll(() => world.close());

test('a conversation that reaches the maximum duration is ended COMPLETED by SYSTEM, and the carrier gets its BYE', async () => {
  const owner = await world.agent('ada');
  const line = await world.line({ ownerAgentId: owner.id });
  const app = await world.app(node, 'ada');
  const { callId } = await media.ring({ requestUser: line.address });
  await app.next('call:incoming');
  await app.ask('call:accept', { callId, sdpOffer: 'offer' });
  const call = await world.ended(callId);
  expect(call).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'SYSTEM' });
  expect(call.answeredAt).not.toBeNull();
  const lasted = Number(call.endedAt) - Number(call.createdAt);
  expect(lasted).toBeGreaterThanOrEqual(MAX_CALL_SECONDS * 1000);
  expect(lasted).toBeLessThan(MAX_CALL_SECONDS * 1000 + 1_500);
  expect(await media.command('call:release', callId)).not.toHaveProperty('status');
  expect(await world.agentRow(owner.id)).toMatchObject({ currentCallId: null });
  app.close();
});

test('a caller who waits in a queue without max_wait_seconds is released: TIMEOUT, 480', async () => {
  const queue = await world.queue([], { maxWaitSeconds: null });
  const line = await world.line({ inboundQueueId: queue.id });
  const { callId } = await media.ring({ requestUser: line.address });
  expect(await world.ended(callId)).toMatchObject({
    terminationReason: 'TIMEOUT',
    terminatedBy: 'SYSTEM',
    failureDetails: { message: expect.stringContaining('maximum duration') },
  });
  expect(await media.command('call:release', callId)).toMatchObject({ status: 480 });
});
