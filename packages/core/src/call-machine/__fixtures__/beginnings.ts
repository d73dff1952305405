/** Every beginning of the call in a random history. */
import { beginCallback, beginIntent } from '../arrival.ts';
import { enterWaiting } from '../in-queue.ts';
import { endByOf, enterQueue } from '../shared.ts';
import type { OverflowHop } from '../../queue-routing/overflow-hop.ts';
import { aFlow, arrives, entersFlow } from './flow-histories.ts';

export const T0 = 1_700_000_000_000;
export const AGENTS = [1, 2, 3];
export const QUEUES = [10, 11];
export const NODE = 'media-1';
const TO_OWNER = { kind: 'owner', agentId: 1, ringTimeoutSeconds: 30, owner: 'reserved' } as const;

/** A queue without announcements. */
const stop = (queueId: number): OverflowHop => ({
  queueId,
  ref: `q${queueId}`,
  ringTimeoutSeconds: 20,
  maxWaitSeconds: 60,
  holdAudio: null,
  wrapUpSeconds: 0,
  announce: { position: false, wait: false, everySeconds: 60 },
  callbackKey: null,
  skillsWaitSeconds: null,
  answerWhileWaiting: false,
});

export const begin = {
  intent: () =>
    beginIntent(
      {
        callId: 7,
        record: false,
        mediaPath: 'ROOM',
        agentId: 1,
        dial: { trunkId: 1, called: '44', caller: '33', callerName: null },
      },
      T0,
    ),
  queue: () => arrives({ kind: 'queue', stops: QUEUES.map((queueId) => stop(queueId)) }, T0, false),
  owner: () => arrives(TO_OWNER, T0, false),
  recordedOwner: () => {
    const { state, effects } = arrives(TO_OWNER, T0, false);
    return { state: { ...state, record: true }, effects };
  },
  /** A caller whom a flow has answered and transferred to a queue with announcements and callbacks. */
  told: () =>
    enterWaiting(
      {
        callId: 7,
        record: false,
        mediaPath: 'ROOM',
        endBy: endByOf(T0),
        mediaNodeId: NODE,
        carrierLegId: 'customer',
        revision: 0,
        answered: true,
        flow: null,
        plays: 0,
        keyAt: null,
      },
      placeInQueue(),
      T0,
      [{ kind: 'publish', event: 'call.created' }],
    ),
  flow: () => entersFlow(FLOW, T0),
  /** The lookup hook is queried first. */
  askedFlow: () => entersFlow(FLOW, T0, true),
  askedQueue: () => arrives({ kind: 'queue', stops: placeInQueue().stops }, T0, true),
  /** Answered in the first queue, and therefore also in the second, which does not answer callers. */
  answeredQueue: () =>
    arrives({ kind: 'queue', stops: [{ ...stop(10), answerWhileWaiting: true }, stop(11)] }, T0, false),
  /** The reverse: ringing in the first queue, answered in the second. */
  overflowAnswers: () =>
    arrives({ kind: 'queue', stops: [stop(10), { ...stop(11), answerWhileWaiting: true }] }, T0, true),
  askedOwner: () => arrives(TO_OWNER, T0, true),
  /** The owner is being rung by another call. */
  rungOwner: () => arrives({ ...TO_OWNER, owner: 'rung' }, T0, false),
  /** Their provider would end the call before the ring timeout. */
  limitedOwner: () => arrives(TO_OWNER, T0, true, T0 + 25_000),
  limitedRungOwner: () => arrives({ ...TO_OWNER, owner: 'rung' }, T0, false, T0 + 25_000),
  askedRungOwner: () => arrives({ ...TO_OWNER, owner: 'rung' }, T0, true),
  callback: () =>
    beginCallback(
      {
        callId: 7,
        record: false,
        mediaPath: 'ROOM',
        dial: { trunkId: 1, called: '44', caller: '33', callerName: null },
        wait: placeInQueue(),
        callbackOf: 6,
      },
      T0,
    ),
} as const;

export function placeInQueue() {
  const stops = QUEUES.map((queueId) => ({
    ...stop(queueId),
    announce: { position: true, wait: true, everySeconds: 15 },
    callbackKey: '1',
    skillsWaitSeconds: 30,
  }));
  return enterQueue({ stops, since: T0, declined: [], missed: {}, skills: ['german'] }, T0);
}

/** Key 2 and the agents who ring in it are among them. */
export const FLOW = aFlow(placeInQueue().stops, 2);
