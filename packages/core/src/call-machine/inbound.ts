/** waiting and offering: an inbound call until an agent accepts it. */
import type { AssignmentType } from '@clarion/protocol';
import type { Flow } from '../ivr/flow-run.ts';
import type { CallEvent } from './event.ts';
import type { Effect, ReleaseReason } from './effects.ts';
import { outcomeOfWaiting, outcomes } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import { offersOf } from './state.ts';
import type {
  ConnectingState,
  InboundState,
  Offer,
  OfferingState,
  QueueWait,
  WaitingState,
} from './state.ts';
import { AGENT_CONNECT_MS } from './timing.ts';
import { heardByCaller, holdSources } from './hold-audio.ts';
import { callBack, enterWaiting, inQueueTick, isLeaving, stepInQueue, stepLeaving } from './in-queue.ts';
import {
  acceptedBy,
  missedRecord,
  notifyOffered,
  updateConnected,
  offerEndsAt,
  offersOver,
  queueOffer,
  releaseAfterOffers,
  releaseAgent,
  withoutOffer,
} from './offers.ts';
import { inboundBaseOf, end, enterQueue, newSide, unchanged } from './shared.ts';
import type { Step } from './shared.ts';
import { returnToFlow, hasOverflowExit } from './run-flow.ts';

type OfferEvent = Extract<CallEvent, { type: 'offer' }>;

/** How an agent who is offered this call was assigned. */
export const assignmentOf = (state: { wait: QueueWait | null }): AssignmentType =>
  state.wait ? 'QUEUE' : 'DIRECT';

/** Events that end an inbound call in any phase; null if the event does not. */
export function commonEnding(state: InboundState, event: CallEvent): Outcome | null {
  switch (event.type) {
    case 'terminate':
      return outcomes.cancelledBy('CONSUMER');
    case 'leg-ended':
      return event.legId === state.carrierLegId ? outcomeOfWaiting(event.end) : null;
    case 'media-lost':
      return event.mediaNodeId === state.mediaNodeId
        ? outcomes.systemError('The connection to the media node was lost.')
        : null;
    default:
      return null;
  }
}

/**
 * Media has answered the call for an agent who did not get it after all (they declined, or their leg was replaced, while the 200 was sent). The
 * caller is connected from now on, and hears hold audio in a queue.
 *
 * @returns null if the event is not that, or the call was answered before
 */
export function answeredMeanwhile<S extends WaitingState | OfferingState | ConnectingState>(
  state: S,
  event: CallEvent,
  now: number,
): { state: S; effects: Effect[] } | null {
  if (event.type !== 'leg-connected' || event.legId !== state.carrierLegId || state.answered) return null;
  const connected = { ...state, answered: true, connectedAt: now };
  const heard =
    state.wait && state.phase !== 'connecting'
      ? heardByCaller(connected, holdSources(state.wait.stops[0]))
      : { state: connected, effects: [] };
  return {
    state: heard.state,
    effects: [
      { kind: 'leg', leg: 'CUSTOMER', state: 'CONNECTED', stats: { codec: event.codec } },
      ...heard.effects,
    ],
  };
}

export function stepWaiting(state: WaitingState, event: CallEvent, now: number, flow: Flow | null): Step {
  const ending = commonEnding(state, event);
  if (isLeaving(state)) {
    // A caller who requested a callback is called back, unless the consumer ends the call.
    const before = event.type === 'terminate' ? [] : [callBack(state)];
    return ending ? end(state, ending, now, { before }) : stepLeaving(state, event, now);
  }
  if (ending) return end(state, ending, now);
  switch (event.type) {
    case 'offer':
      return offer(state, [], event, now);
    case 'queue-gone':
      return event.queueId === state.wait.stops[0]?.queueId
        ? leaveQueue(state, state.wait, now, [], flow)
        : unchanged(state);
    case 'tick':
      return isOver(state.wait, now)
        ? leaveQueue(state, state.wait, now, [], flow)
        : (inQueueTick(state, now) ?? unchanged(state));
    default:
      return answeredMeanwhile(state, event, now) ?? stepInQueue(state, event, now) ?? unchanged(state);
  }
}

export function stepOffering(state: OfferingState, event: CallEvent, now: number, flow: Flow | null): Step {
  const ending = commonEnding(state, event);
  if (ending) return end(state, ending, now);
  switch (event.type) {
    case 'offer':
      return state.wait
        ? offer({ ...inboundBaseOf(state), wait: state.wait, leaving: null }, state.offers, event, now)
        : unchanged(state);
    case 'accept':
      return accept(state, event, now);
    case 'decline':
    case 'hangup':
      return decline(state, event.agentId, now, flow);
    case 'agent-removed':
      return withdrawFrom(state, event.agentId, now, flow);
    case 'tick':
      return offeringTick(state, now, flow);
    default: {
      const connected = answeredMeanwhile(state, event, now);
      if (connected) return connected;
      if (!ringsForQueue(state)) return ownerConnected(state, event);
      const offers = updateConnected(state.offers, event, now);
      return offers
        ? { state: { ...state, offers }, effects: [] }
        : (stepInQueue(state, event, now) ?? unchanged(state));
    }
  }
}

/** An app of the only agent whom the call rings has connected. */
function ownerConnected(state: OfferingState, event: CallEvent): Step {
  const [made] = state.offers;
  if (event.type !== 'agent-back' || made?.agentId !== event.agentId || !made.waking) return unchanged(state);
  const { waking: _, ...there } = made;
  return { state: { ...state, offers: [there] }, effects: [] };
}

const ringsForQueue = (state: OfferingState): state is OfferingState & { wait: QueueWait } =>
  state.wait !== null;

export const isOver = (wait: QueueWait, now: number): boolean => wait.leaveAt !== null && now >= wait.leaveAt;

/** Dispatch chose these agents and has reserved them in the same transaction. Any who are not eligible any more are released. */
function offer(state: Omit<WaitingState, 'phase'>, already: Offer[], event: OfferEvent, now: number): Step {
  const { wait } = state;
  const fits = (agentId: number) =>
    event.queueId === wait.stops[0]?.queueId &&
    !wait.declined.includes(agentId) &&
    !already.some((ringing) => ringing.agentId === agentId);
  const offers = event.agentIds.filter(fits).map((agentId) => queueOffer(agentId, event, now));
  const misfits = event.agentIds.filter((agentId) => !offers.some((made) => made.agentId === agentId));
  const released = misfits
    .filter((agentId) => !already.some((ringing) => ringing.agentId === agentId))
    .map((agentId): Effect => ({ kind: 'agent', agentId, change: 'free' }));
  const next = [...already, ...offers];
  return {
    state: next.length > 0 ? { ...state, phase: 'offering', offers: next } : { ...state, phase: 'waiting' },
    effects: [...released, ...offers.flatMap(ringing)],
  };
}

/** The first ring sets `ringingAt`; the engine keeps the first value of that column and publishes call.ringing once. */
export const ringing = (offer: Offer): Effect[] => [
  { kind: 'record', type: 'OFFERED', agentId: offer.agentId },
  { kind: 'patch', patch: { ringingAt: offer.offeredAt } },
  { kind: 'publish', event: 'call.ringing' },
  notifyOffered(offer),
];

function accept(state: OfferingState, event: Extract<CallEvent, { type: 'accept' }>, now: number): Step {
  const taken = state.offers.find(({ agentId }) => agentId === event.agentId);
  if (!taken || now >= offerEndsAt(taken)) return unchanged(state);
  const { agentId, deviceId } = event;
  return {
    state: {
      ...inboundBaseOf(state),
      // Media sets a route of this revision if it answers the call by itself (answerRoute).
      revision: state.answered ? state.revision : state.revision + 1,
      phase: 'connecting',
      wait: state.wait,
      agent: newSide(event),
      answering: false,
      muted: false,
      connectBy: now + AGENT_CONNECT_MS,
    },
    effects: [
      { kind: 'patch', patch: { agentId } },
      { kind: 'leg', leg: 'AGENT', state: 'CONNECTING', agentId, deviceId },
      ...acceptedBy(state.offers, event, now),
    ],
  };
}

function decline(state: OfferingState, agentId: number, now: number, flow: Flow | null): Step {
  if (!state.offers.some((made) => made.agentId === agentId)) return unchanged(state);
  const record: Effect = { kind: 'record', type: 'DECLINED', agentId };
  if (!state.wait) {
    const over: NotTaken = {
      outcome: outcomes.ownerDeclined(),
      agentId,
      change: 'declined',
      effects: [record],
    };
    return notTaken(state, over, releaseAgent(agentId, 'declined', 'DECLINED'), now, flow);
  }
  const wait = { ...state.wait, declined: [...state.wait.declined, agentId] };
  return without({ ...state, wait }, [agentId], [record, ...releaseAgent(agentId, 'declined', 'DECLINED')]);
}

function withdrawFrom(state: OfferingState, agentId: number, now: number, flow: Flow | null): Step {
  if (!state.offers.some((made) => made.agentId === agentId)) return unchanged(state);
  if (!state.wait) {
    const over: NotTaken = { outcome: outcomes.ownerDidNotAnswer(), agentId, change: 'free', effects: [] };
    return notTaken(state, over, releaseAgent(agentId, 'free', 'CANCELLED'), now, flow);
  }
  const wait = { ...state.wait, declined: [...state.wait.declined, agentId] };
  return without({ ...state, wait }, [agentId], releaseAgent(agentId, 'free', 'CANCELLED'));
}

/** The call stops ringing these agents. If no other is being rung, it waits again. */
function without(state: OfferingState, agentIds: number[], effects: Effect[]): Step {
  const offers = state.offers.filter(({ agentId }) => !agentIds.includes(agentId));
  return offers.length > 0 || !state.wait
    ? { state: { ...state, offers }, effects }
    : backToQueue(state, state.wait, effects);
}

/** No agent has the call: it waits where it was, and its queue is dispatched immediately. */
export function backToQueue(state: InboundState, wait: QueueWait, effects: Effect[]): Step {
  const [stop] = wait.stops;
  const waiting: WaitingState = { ...inboundBaseOf(state), phase: 'waiting', wait, leaving: null };
  // An announcement that has started is played to its end.
  const heard =
    wait.announcing === null ? heardByCaller(waiting, holdSources(stop)) : { state: waiting, effects: [] };
  return {
    state: heard.state,
    effects: [
      ...effects,
      ...heard.effects,
      ...(stop ? [{ kind: 'dispatch', queueId: stop.queueId } as const] : []),
    ],
  };
}

function offeringTick(state: OfferingState, now: number, flow: Flow | null): Step {
  const over = offersOver(state.offers, now);
  const agentIds = withoutOffer(over);
  if (state.wait && isOver(state.wait, now)) return leaveQueue(state, state.wait, now, over.missed, flow);
  if (agentIds.length === 0) {
    return ringsForQueue(state) ? (inQueueTick(state, now) ?? unchanged(state)) : unchanged(state);
  }
  if (!state.wait) {
    const [agentId = 0] = agentIds;
    const change = over.unreached.includes(agentId) ? ('unreached' as const) : ('missed' as const);
    const nobody = {
      outcome: outcomes.ownerDidNotAnswer(),
      agentId,
      change,
      effects: over.missed.map(missedRecord),
    };
    return notTaken(state, nobody, releaseAgent(agentId, change, 'TIMEOUT'), now, flow);
  }
  return without({ ...state, wait: countMissed(state.wait, agentIds) }, agentIds, releaseAfterOffers(over));
}

/** The maximum wait and some offers may end at the same moment; those offers count as missed. */
export const withdrawAll = (offers: Offer[], missedBy: number[]): Effect[] =>
  offers.flatMap(({ agentId }) =>
    releaseAgent(agentId, missedBy.includes(agentId) ? 'missed' : 'free', 'TIMEOUT'),
  );

export function countMissed(wait: QueueWait, agentIds: number[]): QueueWait {
  const counts = { ...wait.missed };
  for (const agentId of agentIds) counts[agentId] = (counts[agentId] ?? 0) + 1;
  return { ...wait, missed: counts };
}

/** How the only agent whom the call rang, or who had accepted it, failed to answer it. */
export interface NotTaken {
  /** The outcome if the call was to a personal line. */
  outcome: Outcome;
  agentId: number;
  change: Exclude<ReleaseReason, 'talked'>;
  effects: Effect[];
}

/**
 * A call that rang one agent outside any queue: the owner of a personal line, whose call ends, or an agent named by a flow.
 *
 * @param released releases the agent if the call continues; the end of a call does that itself
 */
export function notTaken(
  state: OfferingState | ConnectingState,
  { outcome, agentId, change, effects }: NotTaken,
  released: Effect[],
  now: number,
  flow: Flow | null,
): Step {
  const atEnd = { agentIds: [agentId], change };
  if (!state.flow) return end(state, outcome, now, { before: effects, released: atEnd });
  if (!hasOverflowExit(state, flow)) {
    // The agent who did not answer is recorded as the agent of the call.
    const before: Effect[] = [...effects, { kind: 'patch', patch: { agentId } }];
    return end(state, outcomes.flowAgentDidNotAnswer(), now, { before, released: atEnd });
  }
  const waited = state.flow.waited ?? { since: null, declined: [], missed: {} };
  const more = change === 'declined' ? [...waited.declined, agentId] : waited.declined;
  return returnToFlow(state, flow, { ...waited, declined: more }, now, [...effects, ...released]);
}

/**
 * max_wait_seconds has passed or the queue was deleted: continues with the next queue of the overflow chain, each visited once, then with
 * the flow's `overflow` exit, otherwise ends with TIMEOUT.
 */
function leaveQueue(
  state: WaitingState | OfferingState,
  wait: QueueWait,
  now: number,
  missedBy: number[],
  flow: Flow | null,
): Step {
  const [, next, ...rest] = wait.stops;
  const records = missedBy.map(missedRecord);
  const effects = [...records, ...withdrawAll(offersOf(state), missedBy)];
  if (!next) {
    if (hasOverflowExit(state, flow))
      return returnToFlow(state, flow, countMissed(wait, missedBy), now, effects);
    // The end of the call releases the agents; their messages are the same.
    return end(state, outcomes.queueTimeout(), now, {
      before: records,
      released: { agentIds: missedBy, change: 'missed' },
    });
  }
  const moved = enterQueue({ ...countMissed(wait, missedBy), stops: [next, ...rest] }, now);
  return enterWaiting(state, moved, now, [
    ...effects,
    { kind: 'record', type: 'OVERFLOWED', metadata: { queueRef: next.ref } },
    { kind: 'patch', patch: { queueId: next.queueId, overflowed: true } },
  ]);
}
