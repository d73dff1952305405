/** A callback that has become a conversation: which parts of its wait still count. */
import { describe, expect, test } from 'vitest';
import { beginCallback } from './arrival.ts';
import type { CallEvent } from './event.ts';
import { nextDeadline, step } from './machine.ts';
import type { CallState, QueueWait } from './state.ts';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';
import { enterQueue } from './shared.ts';

const T0 = 1_700_000_000_000;
const ADA = 1;
const BOB = 2;
const codec = 'PCMA';
const stop: OverflowHop = {
  queueId: 5,
  ref: 'support',
  ringTimeoutSeconds: 20,
  maxWaitSeconds: null,
  holdAudio: null,
  wrapUpSeconds: 0,
  announce: { position: false, wait: false, everySeconds: 60 },
  callbackKey: null,
  skillsWaitSeconds: null,
  answerWhileWaiting: false,
};
const wait: QueueWait = enterQueue({ stops: [stop], since: T0, declined: [], missed: {}, skills: [] }, T0);
const dial = { trunkId: 1, called: '44', caller: '33', callerName: null };
const offeredTo = (agentId: number): CallEvent => ({
  type: 'offer',
  queueId: stop.queueId,
  agentIds: [agentId],
  ringTimeoutSeconds: 20,
});

/** The state of a callback after these events, one second each. */
function after(...events: CallEvent[]) {
  const call = { callId: 7, record: false, mediaPath: 'ROOM' } as const;
  let { state }: { state: CallState } = beginCallback({ ...call, dial, wait, callbackOf: 6 }, T0);
  events.forEach((event, i) => {
    ({ state } = step(state, event, T0 + (i + 1) * 1000));
  });
  return state;
}

test('an agent who declined a callback is not offered it again when it is transferred to a queue', () => {
  const talking = after(
    offeredTo(ADA),
    { type: 'decline', agentId: ADA },
    offeredTo(BOB),
    { type: 'accept', agentId: BOB, deviceId: 'desk', legId: 'bob', mediaNodeId: 'media-1' },
    { type: 'leg-connected', legId: 'bob', codec },
    { type: 'leg-connected', legId: 'call-7-customer', codec },
  );
  expect(talking).toMatchObject({ phase: 'talking', declined: [ADA] });
  const transfer: CallEvent = { type: 'transfer', agentId: BOB, to: { kind: 'queue', stops: [stop] } };
  const { state: ringing, effects } = step(step(talking, transfer, T0).state, offeredTo(ADA), T0);
  expect(ringing).toMatchObject({ transfer: { offers: [] } });
  expect(effects).toEqual([{ kind: 'agent', agentId: ADA, change: 'free' }]);
});

test('does not wait in a deleted queue, whatever its maximum wait', () => {
  expect(after({ type: 'queue-gone', queueId: 99 })).toMatchObject({ phase: 'callback' });
  expect(after({ type: 'queue-gone', queueId: stop.queueId })).toMatchObject({
    phase: 'ended',
    outcome: { terminationReason: 'TIMEOUT' },
  });
});

describe('the maximum duration of a callback', () => {
  const maxCallSeconds = 1_800;
  const accept: CallEvent = {
    type: 'accept',
    agentId: ADA,
    deviceId: 'desk',
    legId: 'ada',
    mediaNodeId: 'media-1',
    maxCallSeconds,
  };
  /** Later than any wait with a maximum duration. */
  const later = T0 + 7 * 24 * 3600 * 1000;

  test('is not counted while it waits', () => {
    const waiting = after();
    expect(nextDeadline(waiting)).toBeNull();
    expect(step(waiting, { type: 'tick' }, later).state).toBe(waiting);
    const given = after(offeredTo(ADA), accept, { type: 'decline', agentId: ADA });
    expect(given.phase).toBe('callback');
    expect(nextDeadline(given)).toBeNull();
  });

  test('counts from its acceptance by an agent', () => {
    let state = step(after(), offeredTo(ADA), later).state;
    for (const event of [
      accept,
      { type: 'leg-connected', legId: 'ada', codec },
      { type: 'leg-connected', legId: 'call-7-customer', codec },
    ] satisfies CallEvent[])
      ({ state } = step(state, event, later + 1_000));
    const end = later + 1_000 + maxCallSeconds * 1000;
    expect(state.phase).toBe('talking');
    expect(nextDeadline(state)).toBe(end);
    expect(step(state, { type: 'tick' }, end).state).toMatchObject({
      phase: 'ended',
      outcome: { terminationReason: 'COMPLETED' },
    });
  });
});
