/** What `npm run call -- --whatsapp` prints. Pure. */
import type { CallView, Heard, JournalEntry } from '@clarion/meta-simulator';

/** Quieter than this is what a silent room sounds like. */
const AUDIBLE_DB = -50;
/** A tone has most of the power of what is heard; speech does not. */
const TONE_OVER_REST_DB = 10;

/** Null if nothing audible is heard. */
export function heardText({ levelDb, hz, overRestDb }: Heard): string | null {
  if (levelDb < AUDIBLE_DB) return null;
  const level = `${Math.round(levelDb)} dB`;
  return hz !== null && overRestDb >= TONE_OVER_REST_DB
    ? `a tone of ${Math.round(hz)} Hz at ${level}`
    : `audio at ${level}`;
}

/** Null for what is not printed. */
export function progressText(entry: JournalEntry, callId: string): string | null {
  switch (entry.type) {
    case 'call':
      if (entry.call.id !== callId) return null;
      if (entry.call.state === 'pre_accepted') return 'ringing';
      return null;
    case 'violation':
      return entry.callId === callId ? `against Meta’s rules: Clarion ${entry.text}` : null;
    case 'digit':
      return entry.callId === callId ? `heard the digit ${entry.digit}` : null;
    case 'delivery': {
      const { kinds, status, error } = entry.delivery;
      if (status === 200) return null;
      const why = status === null ? error : `HTTP ${status}`;
      return `Clarion did not take the webhook ${kinds.join(' and ')}: ${why}`;
    }
    case 'request':
      return entry.errorCode === null ? null : `WhatsApp refused ${entry.action}: error ${entry.errorCode}`;
    default:
      return null;
  }
}

export interface Outcome {
  call: CallView;
  /** The agent who answered; null if none did, undefined if that is not known. */
  agent: string | null | undefined;
  /** The loudest that was heard. */
  heard: string | null;
}

export const wasAnswered = ({ call, agent }: Outcome): boolean =>
  agent === undefined ? call.acceptedAt !== null : agent !== null;

export function endText(outcome: Outcome): string {
  const { call, heard } = outcome;
  const heardAs = heard === null ? 'heard nothing' : `heard ${heard}`;
  return `${endedBy(outcome)}${call.acceptedAt === null ? '' : ` after ${seconds(call)} s; ${heardAs}`}`;
}

function endedBy({ call }: Outcome): string {
  switch (call.endedBy) {
    case 'business':
      return call.acceptedAt === null ? 'the call was declined' : 'the business hung up';
    case 'customer':
      return 'hung up';
    case 'timeout':
      return 'nobody answered: Clarion did not accept the call in time';
    default:
      return `the call failed: Meta’s error ${call.errorCode}`;
  }
}

const seconds = ({ acceptedAt, endedAt }: CallView): number =>
  acceptedAt === null || endedAt === null
    ? 0
    : Math.round((Date.parse(endedAt) - Date.parse(acceptedAt)) / 1000);
