/** A queue's offer to an agent whose apps are disconnected: the caller does not wait for them. */
import { describe, expect, test } from 'vitest';
import { beginInboundCall } from './arrival.ts';
import type { InboundRoute } from './arrival.ts';
import type { CallEvent } from './event.ts';
import { nextDeadline, step } from './machine.ts';
import type { CallState } from './state.ts';
import { OFFER_GONE_MS } from './timing.ts';

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
