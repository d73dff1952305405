/** Times of calls when the clocks of the hosts differ by seconds: two realtime nodes, media nodes, and one of an earlier version. */
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Realtime } from '../src/server.ts';
import type { AppSocket } from './app-socket.ts';
import { RealtimeFixture } from './fixture.ts';

const SKEW_MS = 5_000;
const SECOND_MS = 1_000;

let fixture: RealtimeFixture;
let ahead: Realtime & { url: string };
let media: FakeMedia;
let app: AppSocket;
let address: string;

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  ahead = await fixture.startNode({}, undefined, { hostNow: () => Date.now() + SKEW_MS });
  const behind = await fixture.startNode({}, undefined, { hostNow: () => Date.now() - SKEW_MS });
  // The first node processes the facts of media, the second the actions of the agent.
  media = await fixture.media([ahead, behind]);
  const owner = await fixture.agent('ada');
  address = (await fixture.line({ ownerAgentId: owner.id })).address;
  app = await fixture.app(behind, 'ada');
});
afterAll(() => fixture.close());

/** @returns the call, and when the test saw it answered and ended */
async function conversation(endedBy: 'agent' | 'customer') {
  const { callId, legId } = await media.ring({ requestUser: address });
  await app.next('call:incoming', ({ call }) => call.callId === callId);
  await app.ask('call:accept', { callId, sdpOffer: 'offer' });
  await app.next('call:updated', ({ call }) => call.callId === callId && call.answeredAt !== null);
  const answered = Date.now();
  if (endedBy === 'agent') await app.ask('call:hangup', { callId });
  else media.ended(callId, legId, legEndOf('remote-bye'));
  const call = await fixture.ended(callId);
  await media.released(callId);
  return { call, answered, ended: Date.now() };
}

const nearly = (time: Date | null, expected: number) =>
  expect(Math.abs((time?.getTime() ?? 0) - expected)).toBeLessThan(SECOND_MS);

test('a call is timed to within a second, whoever ends it and whatever the clocks of the three hosts', async () => {
  const calls = fc.record({
    clockSkewMs: fc.integer({ min: -SKEW_MS, max: SKEW_MS }),
    endedBy: fc.constantFrom('agent' as const, 'customer' as const),
  });
  await fc.assert(
    fc.asyncProperty(calls, async ({ clockSkewMs, endedBy }) => {
      media.clockSkewMs = clockSkewMs;
      const { call, answered, ended } = await conversation(endedBy);
      nearly(call.createdAt, answered);
      nearly(call.answeredAt, answered);
      nearly(call.endedAt, ended);
      expect(Number(call.endedAt)).toBeGreaterThan(Number(call.answeredAt));
    }),
    {
      numRuns: 8,
      examples: [
        [{ clockSkewMs: SKEW_MS, endedBy: 'agent' }],
        [{ clockSkewMs: -SKEW_MS, endedBy: 'customer' }],
      ],
    },
  );
});

test('a fact that a busy process reads late has the time at which it happened', async () => {
  media.clockSkewMs = 0;
  const { callId, legId } = await media.ring({ requestUser: address });
  await app.next('call:incoming', ({ call }) => call.callId === callId);
  await app.ask('call:accept', { callId, sdpOffer: 'offer' });
  await app.next('call:updated', ({ call }) => call.callId === callId && call.answeredAt !== null);
  const hungUp = Date.now();
  media.ended(callId, legId, legEndOf('remote-bye'));
  const busyUntil = performance.now() + 2 * SECOND_MS;
  while (performance.now() < busyUntil);
  nearly((await fixture.ended(callId)).endedAt, hungUp);
});

test('a media node of an earlier version works, and no call ends before it was answered', async () => {
  media.sendsAge = false;
  for (const clockSkewMs of [-SKEW_MS, 0, SKEW_MS]) {
    media.clockSkewMs = clockSkewMs;
    const { call } = await conversation('customer');
    expect(call).toMatchObject({ status: 'TERMINATED', terminationReason: 'COMPLETED' });
    expect(Number(call.endedAt)).toBeGreaterThan(Number(call.answeredAt));
  }
  media.sendsAge = true;
  media.clockSkewMs = 0;
});

test('a fact that was repeated during an outage has the time at which it happened', async () => {
  media.clockSkewMs = SKEW_MS;
  const { callId, legId } = await media.ring({ requestUser: address });
  await app.next('call:incoming', ({ call }) => call.callId === callId);
  await app.ask('call:accept', { callId, sdpOffer: 'offer' });
  await app.next('call:updated', ({ call }) => call.callId === callId && call.answeredAt !== null);
  const { answeredAt } = await fixture.db.call.findUniqueOrThrow({ where: { id: callId } });
  // The facts of this leg waited in the outbox of media since then.
  await fixture.db.call.update({
    where: { id: callId },
    data: { answeredAt: new Date(Date.now() - 60_000) },
  });
  await fixture.db.liveCall.update({ where: { callId }, data: { lastEventAt: null } });
  const hungUp = Date.now() - 30_000;
  media.ended(callId, legId, legEndOf('remote-bye'), new Date(hungUp + SKEW_MS));
  expect(answeredAt).not.toBeNull();
  nearly((await fixture.ended(callId)).endedAt, hungUp);
});
