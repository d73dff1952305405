/** A queue's offer to an agent whose apps are disconnected: the caller does not wait for them. */
import { describe, expect, test } from 'vitest';
import { beginInboundCall } from './arrival.ts';
import type { InboundRoute } from './arrival.ts';
import type { CallEvent } from './event.ts';
import { nextDeadline, step } from './machine.ts';
import type { CallState } from './state.ts';
import { OFFER_GONE_MS, WAKE_GRACE_MS } from './timing.ts';

const T0 = 1_700_000_000_000;
const stop = {
  queueId: 10,
  ref: 'q',
  ringTimeoutSeconds: 20,
  maxWaitSeconds: 60,
  holdAudio: null,
  wrapUpSeconds: 0,
  announce: { position: false, wait: false, everySeconds: 60 },
  callbackKey: null,
  skillsWaitSeconds: null,
  answerWhileWaiting: false,
};
const began = (route: InboundRoute): CallState =>
  beginInboundCall(
    { callId: 7, record: false, mediaPath: 'ROOM', mediaNodeId: 'node', carrierLegId: 'customer', route },
    T0,
  ).state;
const offered = (...agentIds: number[]): CallState =>
  after(began({ kind: 'queue', stops: [stop] }), [
    { type: 'offer', queueId: 10, agentIds, ringTimeoutSeconds: 20 },
  ]);
const after = (state: CallState, events: CallEvent[], now = T0): CallState =>
  events.reduce((at, event) => step(at, event, now).state, state);

describe('an offer to an agent whose apps are disconnected', () => {
  test('expires after a moment, does not count as missed, and other agents come first from then on', () => {
    const gone = after(offered(1), [{ type: 'agent-gone', agentId: 1 }], T0 + 2_000);
    expect(nextDeadline(gone)).toBe(T0 + 2_000 + OFFER_GONE_MS);
    const { state, effects } = step(gone, { type: 'tick' }, T0 + 2_000 + OFFER_GONE_MS);
    expect(state).toMatchObject({ phase: 'waiting', wait: { missed: { 1: 1 }, declined: [] } });
    expect(effects).toContainEqual({ kind: 'agent', agentId: 1, change: 'free' });
    expect(effects).toContainEqual({ kind: 'dispatch', queueId: 10 });
    expect(effects).not.toContainEqual(expect.objectContaining({ kind: 'record', type: 'MISSED' }));
  });

  test('continues if they are back in time, and may be accepted', () => {
    const back = after(
      after(offered(1), [{ type: 'agent-gone', agentId: 1 }]),
      [{ type: 'agent-back', agentId: 1 }],
      T0 + OFFER_GONE_MS - 1,
    );
    expect(nextDeadline(back)).toBe(T0 + 20_000);
    const accept = { type: 'accept', agentId: 1, deviceId: 'desk', legId: 'leg' } as const;
    expect(after(back, [accept], T0 + OFFER_GONE_MS).phase).toBe('connecting');
  });

  test('does not affect offers to other agents', () => {
    const gone = after(offered(1, 2), [{ type: 'agent-gone', agentId: 1 }]);
    const state = after(gone, [{ type: 'tick' }], T0 + OFFER_GONE_MS);
    expect(state).toMatchObject({ phase: 'offering', offers: [{ agentId: 2 }] });
  });

  test('keeps ringing if they own the personal line', () => {
    const ringing = began({ kind: 'owner', agentId: 1, ringTimeoutSeconds: 30, owner: 'reserved' });
    const state = after(ringing, [{ type: 'agent-gone', agentId: 1 }]);
    expect(nextDeadline(state)).toBe(T0 + 30_000);
  });
});

describe('an offer to an agent whose devices a push notification wakes', () => {
  const waking = (...wakeIds: number[]): CallState =>
    after(began({ kind: 'queue', stops: [stop] }), [
      {
        type: 'offer',
        queueId: 10,
        agentIds: [1, 2].slice(0, wakeIds.length),
        wakeIds,
        ringTimeoutSeconds: 20,
      },
    ]);

  test('ends when no app connects in time, without counting as missed, and the agent is no longer first in line', () => {
    const state = waking(1);
    expect(nextDeadline(state)).toBe(T0 + WAKE_GRACE_MS);
    const { state: next, effects } = step(state, { type: 'tick' }, T0 + WAKE_GRACE_MS);
    expect(next).toMatchObject({ phase: 'waiting', wait: { missed: { 1: 1 }, declined: [] } });
    expect(effects).toContainEqual({ kind: 'agent', agentId: 1, change: 'unreached' });
    expect(effects).not.toContainEqual(expect.objectContaining({ kind: 'record', type: 'MISSED' }));
  });

  test('lasts its whole time once an app has connected, and counts as missed then', () => {
    const connected = after(waking(1), [{ type: 'agent-back', agentId: 1 }], T0 + WAKE_GRACE_MS - 1);
    expect(nextDeadline(connected)).toBe(T0 + 20_000);
    const { effects } = step(connected, { type: 'tick' }, T0 + 20_000);
    expect(effects).toContainEqual({ kind: 'agent', agentId: 1, change: 'missed' });
    expect(effects).toContainEqual(expect.objectContaining({ kind: 'record', type: 'MISSED' }));
  });

  test('can be accepted by the app that it woke', () => {
    const accept = { type: 'accept', agentId: 1, deviceId: 'phone', legId: 'leg' } as const;
    expect(after(waking(1), [accept], T0 + WAKE_GRACE_MS - 1).phase).toBe('connecting');
    expect(after(waking(1), [accept], T0 + WAKE_GRACE_MS).phase).toBe('offering');
  });

  test('is told apart from one to a connected agent of the same call', () => {
    const { effects } = step(
      began({ kind: 'queue', stops: [stop] }),
      { type: 'offer', queueId: 10, agentIds: [1, 2], wakeIds: [2], ringTimeoutSeconds: 20 },
      T0,
    );
    const notices = effects.flatMap((effect) => (effect.kind === 'notify-agent' ? [effect.what] : []));
    const expiresAt = T0 + 20_000;
    expect(notices).toEqual([
      { message: 'incoming', expiresAt },
      { message: 'incoming', expiresAt, waking: true },
    ]);
  });

  test('rings the owner of a personal line for the whole time, and counts as missed only if an app has connected', () => {
    const route = {
      kind: 'owner',
      agentId: 1,
      ringTimeoutSeconds: 30,
      owner: 'reserved',
      waking: true,
    } as const;
    const ringing = began(route);
    expect(nextDeadline(ringing)).toBe(T0 + 30_000);
    const released = (state: CallState) =>
      step(state, { type: 'tick' }, T0 + 30_000).effects.flatMap((effect) =>
        effect.kind === 'agent' ? [effect.change] : [],
      );
    expect(released(ringing)).toEqual(['unreached']);
    expect(released(after(ringing, [{ type: 'agent-back', agentId: 1 }]))).toEqual(['missed']);
  });
});
