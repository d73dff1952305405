/** Tells what happened in sentences that a newcomer understands, newest last. Pure. */
import type { CallState, CallView } from '../world/call.ts';
import type { JournalEntry } from '../world/journal.ts';

const NO_PERMISSION = 138_006;

export interface Line {
  readonly at: string;
  readonly text: string;
  /** `detail`: what Meta and the business exchange. `trouble`: something did not work. */
  readonly kind: 'event' | 'detail' | 'trouble';
}

export interface Cast {
  /** The customer's number, which is also the subject of webhooks about permissions. */
  readonly customer: string;
  readonly business: string;
}

/** Only what concerns this customer. */
export function story(entries: readonly JournalEntry[], cast: Cast): Line[] {
  const states = new Map<string, CallState>();
  return entries.flatMap((entry) => {
    const told = lineOf(entry, cast, states);
    return told === null ? [] : [{ at: entry.at, ...told }];
  });
}

type Told = Omit<Line, 'at'>;
const event = (text: string): Told => ({ text, kind: 'event' });
const detail = (text: string): Told => ({ text, kind: 'detail' });
const trouble = (text: string): Told => ({ text, kind: 'trouble' });

function lineOf(
  entry: JournalEntry,
  { customer, business }: Cast,
  states: Map<string, CallState>,
): Told | null {
  const isOurs = (subject: string): boolean => subject === customer || states.has(subject);
  switch (entry.type) {
    case 'call': {
      const { call } = entry;
      if (call.customer !== customer) return null;
      const before = states.get(call.id);
      states.set(call.id, call.state);
      return before === call.state ? null : callLine(call, before, business);
    }
    case 'violation':
      return states.has(entry.callId) ? trouble(`Against Meta’s rules: the business ${entry.text}.`) : null;
    case 'digit':
      return states.has(entry.callId) ? event(`${business} sent the digit ${entry.digit}.`) : null;
    case 'permission_request':
      return entry.customer === customer ? event(`${business} asks for permission to call you.`) : null;
    case 'permission':
      return entry.customer === customer ? event(permissionLine(entry.status, business)) : null;
    case 'reconsider_prompt':
      return entry.customer === customer
        ? event(`You left calls unanswered. WhatsApp asks whether ${business} may still call you.`)
        : null;
    case 'delivery': {
      const { kinds, subjects, status, error } = entry.delivery;
      if (!subjects.some(isOurs)) return null;
      const what = `Webhook ${kinds.join(' and ')}`;
      if (status === 200) return detail(`${what} delivered to the business.`);
      return trouble(
        `${what} not delivered: ${status === null ? error : `HTTP ${status}`}. Meta tries again.`,
      );
    }
    case 'request': {
      const { action, subject, status, errorCode } = entry;
      if (action === null || subject === null || !isOurs(subject)) return null;
      if (errorCode === null) return detail(`The business sent ${action}.`);
      if (errorCode === NO_PERMISSION)
        return trouble(
          `${business} tried to call you. WhatsApp refused, because you have not allowed calls.`,
        );
      return trouble(`The business sent ${action}, which was refused: HTTP ${status}, error ${errorCode}.`);
    }
    case 'webhook': // its delivery is told
    case 'media':
      return null;
  }
}

function callLine(call: CallView, before: CallState | undefined, business: string): Told | null {
  const isYours = call.direction === 'USER_INITIATED';
  switch (call.state) {
    case 'calling':
      return event(`You call ${business}.`);
    case 'pre_accepted':
      return event(`${business} rings its agent.`);
    case 'connecting':
      return event(`${business} calls you.`);
    case 'ringing':
      return event('Your phone rings.');
    case 'accepted':
      return event(isYours ? `${business} answered.` : 'You answered.');
    case 'ended':
      return before === undefined ? null : endLine(call, isYours, business);
  }
}

function endLine(call: CallView, isYours: boolean, business: string): Told {
  const { acceptedAt, endedBy, errorCode } = call;
  const wasAnswered = acceptedAt !== null;
  switch (endedBy) {
    case 'customer':
      if (wasAnswered) return event('You hung up.');
      return event(isYours ? 'You hung up before an answer.' : 'You declined the call.');
    case 'business':
      if (wasAnswered) return event(`${business} hung up.`);
      return event(isYours ? `${business} declined the call.` : `You missed a call from ${business}.`);
    case 'timeout':
      return event(isYours ? 'Nobody answered.' : `You missed a call from ${business}.`);
    default:
      return trouble(`The call failed${errorCode === null ? '' : `: Meta’s error ${errorCode}`}.`);
  }
}

function permissionLine(status: string, business: string): string {
  if (status === 'permanent') return `${business} may call you.`;
  if (status === 'temporary') return `${business} may call you for 7 days.`;
  return `${business} may not call you.`;
}
