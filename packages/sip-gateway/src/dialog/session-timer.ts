/** Session-Expires (RFC 4028): reading it, choosing the refresher, and the instants that follow from it. Pure. */
import type { SipMessage } from '../message/message.ts';
import { hasToken, header } from '../message/message.ts';
import { param, parseDigits } from '../message/uri.ts';

/** Smallest interval we accept (RFC 4028 §5). Seconds. */
export const MIN_SE_SECONDS = 90;
/** Largest interval that still fits a timer. Seconds. */
const MAX_SE_SECONDS = 2_000_000;
/** The BYE of an unrefreshed session comes this much before its end, at most (RFC 4028 §10). Seconds. */
const EXPIRY_MARGIN_SECONDS = 32;

export interface SessionOffer {
  readonly seconds: number;
  readonly refresher: 'uac' | 'uas' | null;
}

/** The Session-Expires of a message, or null when it has none that can be read. */
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
  /** `Require: timer` must go with it (RFC 4028 §9). */
  readonly requireTimer: boolean;
}

/** What our 2xx to a request that offers a session interval says (RFC 4028 §9). */
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

/** When the refresher refreshes: half the interval. Ms. */
export function refreshAfterMs(seconds: number): number {
  return seconds * 500;
}

/** When the other side gives up: the interval less a third, at most 32 s. Ms. */
export function expireAfterMs(seconds: number): number {
  return (seconds - Math.min(EXPIRY_MARGIN_SECONDS, seconds / 3)) * 1000;
}
