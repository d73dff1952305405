/** Session-Expires (RFC 4028): parsing, choice of the refresher, and the resulting times. Pure. */
import type { SipMessage } from '../message/message.ts';
import { hasToken, header } from '../message/message.ts';
import { param, parseDigits } from '../message/uri.ts';

/** Smallest accepted interval (RFC 4028 §5). Seconds. */
export const MIN_SE_SECONDS = 90;
/** Largest interval that fits a timer. Seconds. */
const MAX_SE_SECONDS = 2_000_000;
/** The BYE of a session that is not refreshed is sent this long before its end, at most (RFC 4028 §10). Seconds. */
const EXPIRY_MARGIN_SECONDS = 32;

export interface SessionOffer {
  readonly seconds: number;
  readonly refresher: 'uac' | 'uas' | null;
}

/** The Session-Expires of a message; null if it has no valid one. */
export function readSessionExpires(message: SipMessage): SessionOffer | null {
  const value = header(message, 'session-expires');
  return value === undefined ? null : parseSessionExpires(value);
}

export function parseSessionExpires(value: string): SessionOffer | null {
  const semi = value.indexOf(';');
  const seconds = parseDigits((semi < 0 ? value : value.slice(0, semi)).trim(), MAX_SE_SECONDS);
  if (seconds < 0) return null;
  const refresher = semi < 0 ? undefined : param(value.slice(semi), 'refresher')?.toLowerCase();
  return { seconds, refresher: refresher === 'uac' || refresher === 'uas' ? refresher : null };
}

export interface SessionAnswer {
  readonly seconds: number;
  readonly weRefresh: boolean;
  readonly value: string;
  /** Whether `Require: timer` must be added (RFC 4028 §9). */
  readonly requireTimer: boolean;
}

/** Session-Expires of our 2xx to a request that offers a session interval (RFC 4028 §9). */
export function answerSession(request: SipMessage, offer: SessionOffer): SessionAnswer {
  const supported = hasToken(request, 'supported', 'timer') || hasToken(request, 'require', 'timer');
  const refresher = supported ? (offer.refresher ?? 'uac') : 'uas';
  return {
    seconds: offer.seconds,
    weRefresh: refresher === 'uas',
    value: `${offer.seconds};refresher=${refresher}`,
    requireTimer: refresher === 'uac',
  };
}

/** When the refresher refreshes: after half the interval. Ms. */
export function refreshAfterMs(seconds: number): number {
  return seconds * 500;
}

/** When the other party ends the session: a third of the interval before its end, at most 32 s. Ms. */
export function expireAfterMs(seconds: number): number {
  return (seconds - Math.min(EXPIRY_MARGIN_SECONDS, seconds / 3)) * 1000;
}
