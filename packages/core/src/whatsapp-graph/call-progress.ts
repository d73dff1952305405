/**
 * Reduces the webhooks of one WhatsApp call to facts for the engine. Meta repeats webhooks and does not keep their order; whatever arrives,
 * each fact is reported at most once, and in this order: `began`, `ringing`, `answered`, `ended`. Pure.
 *
 * - A customer's call begins with the `connect` webhook that contains the SDP offer. A `terminate` before it is remembered, so that the
 *   call begins and ends in the same step: the caller is not lost, and nobody is rung.
 * - A call of ours began when it was placed. Its `connect` webhook contains the SDP answer, possibly before anyone answered.
 * - A `terminate` without a start time and without an error leaves open whether the customer refused the call. Meta sends the status
 *   REJECTED separately, so such an end is reported with that status, or after `UNDECIDED_END_MS`.
 */
import type { StoredWhatsAppCall } from '@clarion/protocol/v1/tenant/whatsapp';
import type { GraphError } from './graph-errors.ts';

/** How long the end of an unanswered call waits for the status that says whether the customer refused it. */
export const UNDECIDED_END_MS = 2_000;
/** A customer does not wait longer. An older `connect`, delivered late, is a call that is over. */
export const CONNECT_VALID_MS = 60_000;

/** Meta's times are whole seconds. */
const RESOLUTION_MS = 1_000;

/** When what a webhook reports happened: on its arrival, but not after the second that Meta names, because webhooks may be delayed. */
export function timeOf({ occurredAt, receivedAt }: { occurredAt: Date | null; receivedAt: Date }): Date {
  if (occurredAt === null) return receivedAt;
  return new Date(Math.min(receivedAt.getTime(), occurredAt.getTime() + RESOLUTION_MS));
}

/** Why a call is over at Meta. */
export type WhatsAppEnd =
  /** It was answered; Meta's own times and duration. */
  | { kind: 'completed'; startedAt: number | null; endedAt: number | null; durationSeconds: number | null }
  | { kind: 'rejected' }
  | { kind: 'unanswered' }
  /** `started`: it was answered before. */
  | { kind: 'failed'; started: boolean; error: GraphError };

export type WhatsAppFact =
  | { kind: 'began'; sdp: string }
  /** The answer to our SDP offer: the media path can be set up. The customer may not have answered yet. */
  | { kind: 'sdp-answer'; sdp: string }
  | { kind: 'ringing' }
  | { kind: 'answered' }
  | { kind: 'ended'; end: WhatsAppEnd };

/** Contains no SDP, address or name: it is stored as long as the call. */
export interface CallProgress {
  /** Null until an event says it. */
  direction: StoredWhatsAppCall['direction'];
  began: boolean;
  ringing: boolean;
  answered: boolean;
  rejected: boolean;
  /** The terminate webhook, if one arrived. */
  terminated: WhatsAppEnd | 'undecided' | null;
  /** The end was reported. */
  ended: boolean;
}

export const noProgress: CallProgress = {
  direction: null,
  began: false,
  ringing: false,
  answered: false,
  rejected: false,
  terminated: null,
  ended: false,
};

/** An event of the call, or `settle`: UNDECIDED_END_MS have passed since an undecided end. */
export type ProgressEvent =
  | Pick<
      StoredWhatsAppCall,
      'event' | 'direction' | 'sdp' | 'status' | 'startTime' | 'endTime' | 'durationSeconds' | 'errors'
    >
  | { event: 'settle' };

export interface Progressed {
  progress: CallProgress;
  facts: WhatsAppFact[];
}

export function advance(before: CallProgress, event: ProgressEvent): Progressed {
  const facts: WhatsAppFact[] = [];
  const progress = { ...before };
  if (progress.ended) return { progress: before, facts };
  if (event.event !== 'settle') progress.direction ??= event.direction;
  switch (event.event) {
    case 'connect':
      if (event.sdp && !progress.began) {
        progress.began = true;
        facts.push({ kind: event.sdp.type === 'offer' ? 'began' : 'sdp-answer', sdp: event.sdp.text });
      }
      break;
    case 'status':
      applyStatus(progress, event.status, facts);
      break;
    case 'terminate':
      progress.terminated ??= endOf(event);
      break;
    case 'settle':
      if (isUndecided(progress)) progress.terminated = { kind: 'unanswered' };
      break;
  }
  conclude(progress, facts);
  return { progress, facts };
}

function applyStatus(progress: CallProgress, status: string | null, facts: WhatsAppFact[]): void {
  if (status === 'RINGING' && !progress.ringing && !progress.answered) {
    progress.ringing = true;
    facts.push({ kind: 'ringing' });
  }
  if (status === 'ACCEPTED' && !progress.answered) {
    progress.answered = true;
    facts.push({ kind: 'answered' });
  }
  if (status === 'REJECTED') progress.rejected = true;
}

/** A webhook lists the errors of all its calls, so those of a completed call are not its own. */
function endOf(event: Exclude<ProgressEvent, { event: 'settle' }>): WhatsAppEnd | 'undecided' {
  const [error] = event.status === 'COMPLETED' ? [] : event.errors;
  const { startTime: startedAt, endTime: endedAt, durationSeconds } = event;
  const started = startedAt !== null || (durationSeconds ?? 0) > 0;
  if (error) return { kind: 'failed', started, error: { ...error, subcode: null } };
  return started ? { kind: 'completed', startedAt, endedAt, durationSeconds } : 'undecided';
}

/** Reports the end if it is certain. */
function conclude(progress: CallProgress, facts: WhatsAppFact[]): void {
  const { terminated } = progress;
  const ofCustomer = progress.direction !== 'BUSINESS_INITIATED';
  // Without a direction, the call is a customer's whose connect webhook is still to come.
  if (terminated === null || (ofCustomer && !progress.began)) return;
  const end = terminated === 'undecided' ? decided(progress, ofCustomer) : terminated;
  if (end === null) return;
  // A call of ours whose ACCEPTED status is late or lost.
  if (wasAnswered(end) && !ofCustomer && !progress.answered) {
    progress.answered = true;
    facts.push({ kind: 'answered' });
  }
  progress.ended = true;
  facts.push({ kind: 'ended', end });
}

/** Whether the two were connected before the call ended. */
export const wasAnswered = (end: WhatsAppEnd): boolean =>
  end.kind === 'completed' || (end.kind === 'failed' && end.started);

function decided({ answered, rejected }: CallProgress, ofCustomer: boolean): WhatsAppEnd | null {
  if (answered) return { kind: 'completed', startedAt: null, endedAt: null, durationSeconds: null };
  if (rejected) return { kind: 'rejected' };
  return ofCustomer ? { kind: 'unanswered' } : null;
}

/** Whether a settle event is due for the call after UNDECIDED_END_MS. */
export const isUndecided = ({ direction, terminated, ended }: CallProgress): boolean =>
  direction === 'BUSINESS_INITIATED' && terminated === 'undecided' && !ended;

/** Whether a customer's call is too old to be offered to anyone. An event without a time is judged by its arrival. */
export const isStale = (event: { occurredAt: Date | null; receivedAt: Date }, now: Date): boolean =>
  now.getTime() - (event.occurredAt ?? event.receivedAt).getTime() > CONNECT_VALID_MS;
