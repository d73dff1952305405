/** Reads the payload of a push notification. It came over the network, so nothing about it is certain. Pure. */
import type { WithdrawReason } from '@clarion/protocol/enums';

/** Longer names are cut, so that one cannot hide the rest of a notification. */
const SHOWN_MAX_CHARS = 100;

interface Times {
  /** Unix time in milliseconds. */
  sentAt: number;
  expiresAt: number;
}
interface AboutCall extends Times {
  callId: string;
  callerName: string | null;
  callerAddress: string | null;
}
export type Push =
  | ({ type: 'call.incoming' | 'call.missed' } & AboutCall)
  | ({ type: 'call.withdrawn'; reason: WithdrawReason } & AboutCall)
  | ({ type: 'test' } & Times);

const REASONS: readonly unknown[] = [
  'ANSWERED_ELSEWHERE',
  'TIMEOUT',
  'CANCELLED',
  'DECLINED',
] satisfies WithdrawReason[];

/** Null: it is not of a type that this version knows. */
export function readPush(text: string): Push | null {
  const fields = fieldsOf(text);
  const times = { sentAt: timeOf(fields.sentAt), expiresAt: timeOf(fields.expiresAt) };
  if (Number.isNaN(times.sentAt) || Number.isNaN(times.expiresAt)) return null;
  if (fields.type === 'test') return { type: 'test', ...times };
  if (typeof fields.callId !== 'string' || !/^\d{1,20}$/.test(fields.callId)) return null;
  const call = {
    callId: fields.callId,
    callerName: shown(fields.callerName),
    callerAddress: shown(fields.callerAddress),
    ...times,
  };
  switch (fields.type) {
    case 'call.incoming':
    case 'call.missed':
      return { type: fields.type, ...call };
    case 'call.withdrawn':
      return isReason(fields.reason) ? { type: fields.type, reason: fields.reason, ...call } : null;
    default:
      return null;
  }
}

/** Of PushPayload in the protocol. */
interface Fields {
  type?: unknown;
  callId?: unknown;
  callerName?: unknown;
  callerAddress?: unknown;
  reason?: unknown;
  sentAt?: unknown;
  expiresAt?: unknown;
}

function fieldsOf(text: string): Fields {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

const timeOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : Number.NaN);
const isReason = (value: unknown): value is WithdrawReason => REASONS.includes(value);

/** On one line, and without characters that change the direction of the text after them. */
function shown(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const line = value.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069\s]+/gu, ' ').trim();
  return line === '' ? null : [...line].slice(0, SHOWN_MAX_CHARS).join('');
}
