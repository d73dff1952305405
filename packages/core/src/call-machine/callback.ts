/**
 * callback: a caller who hung up to be called back keeps their place in the queue. The call waits and is offered to agents like any other;
 * when an agent accepts, their audio is connected, and only then is the customer dialled (`dialing`). Until then, if the agent declines
 * after all or their audio fails, the call returns to the queue. From the dialling on it is an ordinary outbound call: a customer who does
 * not answer is not called again.
 */
import { failures } from '@clarion/protocol';
import type { CallEvent } from './event.ts';
import type { Effect } from './effects.ts';
import { outcomes } from './outcome.ts';
import type { CallbackState, DialingState, QueueWait } from './state.ts';
import { AGENT_CONNECT_MS } from './timing.ts';
import { releaseConnecting } from './connecting.ts';
import { countMissed, isOver, withdrawAll } from './inbound.ts';
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
import { end, endByOf, enterQueue, graceEndsAt, liveBaseOf, newSide, unchanged } from './shared.ts';
import type { Step } from './shared.ts';

export function stepCallback(state: CallbackState, event: CallEvent, now: number): Step {
  switch (event.type) {
    case 'terminate':
      return end(state, outcomes.cancelledBy('CONSUMER'), now);
    case 'offer':
      return offer(state, event, now);
    case 'queue-gone':
      return event.queueId === state.wait.stops[0]?.queueId ? leaveQueue(state, [], now) : unchanged(state);
    case 'accept':
      return accept(state, event, now);
    case 'decline':
    case 'hangup':
      return withdraw(state, event.agentId, 'DECLINED');
    case 'agent-removed':
      return withdraw(state, event.agentId, 'CANCELLED');
    case 'tick':
      return tick(state, now);
    default: {
      const offers = updateConnected(state.offers, event, now);
      return offers ? { state: { ...state, offers }, effects: [] } : unchanged(state);
    }
  }
}

const dispatch = ({ stops: [stop] }: QueueWait): Effect[] =>
  stop ? [{ kind: 'dispatch', queueId: stop.queueId }] : [];

/** As for a waiting caller: dispatch has reserved the agents, and any who are not eligible any more are released. */
function offer(state: CallbackState, event: Extract<CallEvent, { type: 'offer' }>, now: number): Step {
  const { wait, offers: already } = state;
  const known = (agentId: number) => already.some((made) => made.agentId === agentId);
  const fits = (agentId: number) =>
    event.queueId === wait.stops[0]?.queueId && !wait.declined.includes(agentId) && !known(agentId);
  const offers = event.agentIds.filter(fits).map((agentId) => queueOffer(agentId, event, now));
  const misfits = event.agentIds.filter((agentId) => !fits(agentId) && !known(agentId));
  return {
    state: { ...state, offers: [...already, ...offers] },
    effects: [
      ...misfits.map((agentId): Effect => ({ kind: 'agent', agentId, change: 'free' })),
      // Only agents are rung: `ringingAt` and call.ringing belong to the customer's phone, which is dialled later.
      ...offers.flatMap((made): Effect[] => [
        { kind: 'record', type: 'OFFERED', agentId: made.agentId },
        notifyOffered(made),
      ]),
    ],
  };
}

function accept(state: CallbackState, event: Extract<CallEvent, { type: 'accept' }>, now: number): Step {
  const taken = state.offers.find(({ agentId }) => agentId === event.agentId);
  if (!taken || now >= offerEndsAt(taken) || event.mediaNodeId === undefined) return unchanged(state);
  const { agentId, deviceId } = event;
  const dialing: DialingState = {
    ...liveBaseOf(state),
    endBy: endByOf(now, event.maxCallSeconds),
    phase: 'dialing',
    queue: state.wait.stops[0] ?? null,
    wait: state.wait,
    mediaNodeId: event.mediaNodeId,
    agent: newSide(event),
    dial: state.dial,
    carrierLegId: `call-${state.callId}-customer`,
    progress: 'agent',
    muted: false,
    giveUpAt: now + AGENT_CONNECT_MS,
  };
  return {
    state: dialing,
    effects: [
      { kind: 'patch', patch: { agentId } },
      { kind: 'leg', leg: 'AGENT', state: 'CONNECTING', agentId, deviceId },
      ...acceptedBy(state.offers, event, now),
    ],
  };
}

function withdraw(state: CallbackState, agentId: number, reason: 'DECLINED' | 'CANCELLED'): Step {
  if (!state.offers.some((made) => made.agentId === agentId)) return unchanged(state);
  const wait = { ...state.wait, declined: [...state.wait.declined, agentId] };
  return without(
    { ...state, wait },
    [agentId],
    reason === 'DECLINED'
      ? [{ kind: 'record', type: 'DECLINED', agentId }, ...releaseAgent(agentId, 'declined', reason)]
      : releaseAgent(agentId, 'free', reason),
  );
}

function without(state: CallbackState, agentIds: number[], effects: Effect[]): Step {
  const offers = state.offers.filter(({ agentId }) => !agentIds.includes(agentId));
  return {
    state: { ...state, offers },
    effects: offers.length > 0 ? effects : [...effects, ...dispatch(state.wait)],
  };
}

function tick(state: CallbackState, now: number): Step {
  const { wait } = state;
  const over = offersOver(state.offers, now);
  const agentIds = withoutOffer(over);
  if (isOver(wait, now)) return leaveQueue(state, over.missed, now);
  if (agentIds.length > 0) {
    return without({ ...state, wait: countMissed(wait, agentIds) }, agentIds, releaseAfterOffers(over));
  }
  if (wait.relaxAt === null || now < wait.relaxAt) return unchanged(state);
  return { state: { ...state, wait: { ...wait, relaxAt: null, relaxed: true } }, effects: dispatch(wait) };
}

/** max_wait_seconds has passed or the queue was deleted: continues with the next queue of the overflow chain, or ends with TIMEOUT. */
function leaveQueue(state: CallbackState, missedBy: number[], now: number): Step {
  const [, next, ...rest] = state.wait.stops;
  const before = missedBy.map(missedRecord);
  if (!next)
    return end(state, outcomes.queueTimeout(), now, {
      before,
      released: { agentIds: missedBy, change: 'missed' },
    });
  const wait = enterQueue({ ...countMissed(state.wait, missedBy), stops: [next, ...rest] }, now);
  return {
    state: { ...state, wait, offers: [] },
    effects: [
      ...before,
      ...withdrawAll(state.offers, missedBy),
      { kind: 'record', type: 'OVERFLOWED', metadata: { queueRef: next.ref } },
      { kind: 'patch', patch: { queueId: next.queueId, overflowed: true } },
      ...dispatch(wait),
    ],
  };
}

/**
 * The agent of a callback does not dial after all, before the customer is dialled.
 *
 * @returns null if this is not a callback or the event is a different one
 */
export function calledBackByAnother(state: DialingState, event: CallEvent, now: number): Step | null {
  if (!state.wait || state.progress !== 'agent') return null;
  const { agentId, legId, previous } = state.agent;
  switch (event.type) {
    case 'hangup':
    case 'decline':
      if (event.agentId !== agentId) return null;
      return backToQueue(state, { ...state.wait, declined: [...state.wait.declined, agentId] }, 'declined', {
        kind: 'record',
        type: 'DECLINED',
        agentId,
      });
    case 'agent-removed':
      return event.agentId === agentId ? connectFailed(state, state.wait, 'The agent was removed.') : null;
    case 'leg-ended':
      return event.legId === legId && !previous ? connectFailed(state, state.wait, event.end.message) : null;
    case 'command-failed':
      return event.legId === legId && !previous ? connectFailed(state, state.wait, event.message) : null;
    case 'media-lost':
      return event.mediaNodeId === state.mediaNodeId
        ? connectFailed(state, state.wait, 'The connection to the media node was lost.')
        : null;
    case 'tick': {
      const grace = graceEndsAt(state.agent);
      return now >= state.giveUpAt || (grace !== null && now >= grace)
        ? connectFailed(state, state.wait, failures.agent_audio_failed.text)
        : null;
    }
    default:
      return null;
  }
}

function connectFailed(state: DialingState, wait: QueueWait, message: string): Step {
  const { agentId } = state.agent;
  const record: Effect = { kind: 'record', type: 'CONNECT_FAILED', agentId, metadata: { message } };
  return backToQueue(state, countMissed(wait, [agentId]), 'failed', record);
}

function backToQueue(
  state: DialingState,
  wait: QueueWait,
  change: 'declined' | 'failed',
  record: Effect,
): Step {
  // Nothing is connected while it waits, so the maximum duration of a call does not apply yet.
  const { endBy: _endBy, ...kept } = liveBaseOf(state);
  return {
    state: { ...kept, phase: 'callback', dial: state.dial, wait, offers: [] },
    effects: [record, ...releaseConnecting(state, change), ...dispatch(wait)],
  };
}
