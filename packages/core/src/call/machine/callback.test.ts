/** A call back that has become a conversation: what of its wait goes on to count. */
import { expect, test } from 'vitest';
import { beginCallback } from '../arrival.ts';
import type { CallEvent } from '../event.ts';
import { step } from '../machine.ts';
import type { CallState, QueueStop, QueueWait } from '../state.ts';
import { enterQueue } from './shared.ts';

const T0 = 1_700_000_000_000;
const ADA = 1;
const BOB = 2;
const codec = 'PCMA';
const stop: QueueStop = {
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

/** The state of a call back after these events, one second each. */
function after(...events: CallEvent[]) {
  const call = { callId: 7, record: false, mediaPath: 'ROOM' } as const;
  let { state }: { state: CallState } = beginCallback({ ...call, dial, wait, callbackOf: 6 }, T0);
  events.forEach((event, i) => {
    ({ state } = step(state, event, T0 + (i + 1) * 1000));
  });
  return state;
}

test('who declined a call back is not offered it again when whoever took it transfers it to a queue', () => {
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

test('waits for nobody in a queue that was deleted, however long that queue let callers wait', () => {
  expect(after({ type: 'queue-gone', queueId: 99 })).toMatchObject({ phase: 'callback' });
  expect(after({ type: 'queue-gone', queueId: stop.queueId })).toMatchObject({
    phase: 'ended',
    outcome: { terminationReason: 'TIMEOUT' },
  });
});
