/**
 * A caller in a queue, while they wait and while agents are rung: announcements, keys, and when the call's skills stop to matter. Only a
 * caller whose call was answered (by an IVR flow or a queue that answers) hears announcements or presses keys.
 */
import type { VoiceWord } from '@clarion/protocol/voices';
import { announcementWords } from '../queue-routing/announcement.ts';
import type { CallEvent } from './event.ts';
import type { Effect } from './effects.ts';
import { outcomes } from './outcome.ts';
import type { InboundBase, InboundState, OfferingState, QueueWait, WaitingState } from './state.ts';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';
import { ANSWER_CONFIRM_MS, GOODBYE_MS } from './timing.ts';
import { heardByCaller, holdSources } from './hold-audio.ts';
import { inboundBaseOf, end, media, notifyAgent, unchanged } from './shared.ts';
import type { Step } from './shared.ts';

export type InQueue = WaitingState | (OfferingState & { wait: QueueWait });

/**
 * Enters the first of the wait's queues: hold audio, the first announcement, and a dispatch. In a queue that answers while callers wait, an
 * unanswered call is sent a 200 first. `effects`: those of the transition so far.
 */
export function enterWaiting(base: InboundBase, wait: QueueWait, now: number, effects: Effect[]): Step {
  if (wait.stops[0]?.answerWhileWaiting && !base.answered) return beginAnswering(base, wait, now, effects);
  const state: WaitingState = { ...inboundBaseOf(base), phase: 'waiting', wait, leaving: null };
  const [stop] = wait.stops;
  const heard = heardByCaller(state, holdSources(stop));
  const told = announce(heard.state, now);
  return {
    state: told.state,
    effects: [
      ...effects,
      ...heard.effects,
      ...told.effects,
      ...(stop ? [{ kind: 'dispatch', queueId: stop.queueId } as const] : []),
    ],
  };
}

function beginAnswering(base: InboundBase, wait: QueueWait, now: number, effects: Effect[]): Step {
  return {
    state: { ...inboundBaseOf(base), phase: 'answering', wait, answerBy: now + ANSWER_CONFIRM_MS },
    effects: [
      ...effects,
      { kind: 'leg', leg: 'CUSTOMER', state: 'CONNECTING' },
      media(base, { command: 'carrier:answer', legId: base.carrierLegId }),
    ],
  };
}

/** @returns null if the event is none of these */
export function stepInQueue(state: InQueue, event: CallEvent, now: number): Step | null {
  switch (event.type) {
    case 'announced':
      return playAnnouncement(state, event);
    case 'leg-played':
      return announcementEnded(state, event) ?? unchanged(state);
    case 'leg-dtmf':
      return isCallbackKey(state, event) ? requestCallback(state, now) : unchanged(state);
    default:
      return null;
  }
}

/** Handles what is due in the queue itself; null if nothing is. */
export function inQueueTick(state: InQueue, now: number): Step | null {
  const { wait } = state;
  if (wait.relaxAt !== null && now >= wait.relaxAt) {
    const relaxed = { ...state, wait: { ...wait, relaxAt: null, relaxed: true } };
    const [stop] = wait.stops;
    return { state: relaxed, effects: stop ? [{ kind: 'dispatch', queueId: stop.queueId }] : [] };
  }
  if (wait.announceAt !== null && now >= wait.announceAt) return announce(state, now);
  return null;
}

const hasAnnouncements = ({ announce, callbackKey }: OverflowHop): boolean =>
  announce.position || announce.wait || callbackKey !== null;

const announcementId = (plays: number) => `announcement-${plays}`;

/**
 * Requests the caller's position, which returns as `announced`. The next announcement is scheduled in any case, because there may be no
 * result.
 */
function announce<S extends InQueue>(state: S, now: number): { state: S; effects: Effect[] } {
  const [stop] = state.wait.stops;
  if (!state.answered || !stop || !hasAnnouncements(stop)) {
    return { state: { ...state, wait: { ...state.wait, announceAt: null } }, effects: [] };
  }
  const plays = state.plays + 1;
  const wait = { ...state.wait, announceAt: now + stop.announce.everySeconds * 1000 };
  return {
    state: { ...state, plays, wait },
    effects: [{ kind: 'announce', playId: announcementId(plays), queueId: stop.queueId }],
  };
}

/** A repeated result, or one that arrives after other audio was played, is not announced. */
function playAnnouncement(state: InQueue, event: Extract<CallEvent, { type: 'announced' }>): Step {
  const { wait, plays } = state;
  const [stop] = wait.stops;
  if (!stop || event.playId !== announcementId(plays) || wait.announcing === event.playId)
    return unchanged(state);
  const words = announcementWords({
    position: stop.announce.position ? event.position : null,
    waitSeconds: stop.announce.wait ? event.waitSeconds : null,
    callbackKey: stop.callbackKey,
  });
  if (words.length === 0) return unchanged(state);
  return heardByCaller(
    { ...state, wait: { ...wait, announcing: event.playId } },
    spoken(words, event.playId),
  );
}

const spoken = (words: VoiceWord[], playId: string) => [
  { kind: 'audio' as const, clips: words.map((word) => ({ word })), loop: false, playId },
];

/** Returns to hold audio, also while an agent's audio is being connected. */
export function announcementEnded<S extends InboundState & { wait: QueueWait | null }>(
  state: S,
  event: Extract<CallEvent, { type: 'leg-played' }>,
): { state: S; effects: Effect[] } | null {
  const { wait } = state;
  if (!wait || wait.announcing === null || event.playId !== wait.announcing) return null;
  // Incremented, so that a late repetition of the earlier result is recognised.
  const next = { ...state, plays: state.plays + 1, wait: { ...wait, announcing: null } };
  return heardByCaller(next, holdSources(wait.stops[0]));
}

const isCallbackKey = (
  { answered, carrierLegId, wait, keyAt }: InQueue,
  event: Extract<CallEvent, { type: 'leg-dtmf' }>,
): boolean =>
  answered &&
  event.legId === carrierLegId &&
  // Ignores a repetition of the key with which the caller reached this queue.
  event.at !== keyAt &&
  event.digit === (wait.stops[0]?.callbackKey ?? null);

/** The caller hears that they will be called back, and the call is not offered to agents any more. */
function requestCallback(state: InQueue, now: number): Step {
  const playId = `goodbye-${state.plays + 1}`;
  const next: WaitingState = {
    ...inboundBaseOf(state),
    plays: state.plays + 1,
    phase: 'waiting',
    wait: { ...state.wait, announceAt: null, announcing: null },
    leaving: { playId, by: now + GOODBYE_MS },
  };
  const heard = heardByCaller(next, spoken(['we-will-call-you-back'], playId));
  const rung = state.phase === 'offering' ? state.offers : [];
  return {
    state: heard.state,
    effects: [
      { kind: 'record', type: 'CALLBACK_ASKED', metadata: { queueRef: state.wait.stops[0]?.ref ?? null } },
      ...rung.flatMap(({ agentId }): Effect[] => [
        { kind: 'agent', agentId, change: 'free' },
        notifyAgent(agentId, { message: 'withdrawn', reason: 'CANCELLED' }),
        { kind: 'dispatch-agent', agentId },
      ]),
      ...heard.effects,
    ],
  };
}

type Leaving = WaitingState & { leaving: NonNullable<WaitingState['leaving']> };
export const isLeaving = (state: WaitingState): state is Leaving => state.leaving !== null;

/** Until the sentence is over, the caller hears that they will be called back. */
export function stepLeaving(state: Leaving, event: CallEvent, now: number): Step {
  const { playId, by } = state.leaving;
  switch (event.type) {
    case 'leg-played':
      return event.playId === playId ? leave(state, now) : unchanged(state);
    case 'tick':
      return now >= by ? leave(state, now) : unchanged(state);
    case 'offer':
      return {
        state,
        effects: event.agentIds.map((agentId) => ({ kind: 'agent', agentId, change: 'free' })),
      };
    default:
      return unchanged(state);
  }
}

/** Creates the call of the callback, which gets this call's position. */
export const callBack = ({ wait }: WaitingState): Effect => ({ kind: 'call-back', wait });

const leave = (state: WaitingState, now: number): Step =>
  end(state, outcomes.cancelledBy('CUSTOMER'), now, { before: [callBack(state)] });
