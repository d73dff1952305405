/** The capabilities that we announce (RFC 3261 §20.5, §20.37). */

/** Without REFER: agents make transfers, and a REFER could place calls at our cost. */
export const ALLOW = 'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, PRACK, UPDATE';
/** Reliable provisional responses (RFC 3262) and session timers (RFC 4028). */
export const SUPPORTED = '100rel, timer';
/** Seconds; RFC 4028 §4 recommends it. */
const SESSION_EXPIRES_SECONDS = 1_800;
/** Seconds; the smallest RFC 4028 §5 allows. */
export const MIN_SE_SECONDS = 90;

/**
 * Headers of an INVITE that offer a session timer. The remote party is asked to refresh, because our refresh would be
 * sent by the SIP server, which does not pass on the response.
 */
export function sessionTimerOffer(minSeSeconds = MIN_SE_SECONDS): Record<string, string> {
  const seconds = Math.max(SESSION_EXPIRES_SECONDS, minSeSeconds);
  return { 'Session-Expires': `${seconds};refresher=uas`, 'Min-SE': String(minSeSeconds) };
}

/**
 * Headers of our 200 to an UPDATE that refreshes the session (RFC 4028 §9): the same interval and refresher.
 * drachtio-server adds them to the 200 of an INVITE, but not to that of an UPDATE.
 */
export function sessionTimerAnswer(sessionExpires: string | undefined): Record<string, string> {
  const seconds = /^\s*(\d{1,9})\s*(?:;|$)/.exec(sessionExpires ?? '')?.[1];
  if (seconds === undefined) return {};
  const theyRefresh = /;\s*refresher\s*=\s*uac\b/i.test(sessionExpires ?? '');
  return {
    'Session-Expires': `${seconds};refresher=${theyRefresh ? 'uac' : 'uas'}`,
    ...(theyRefresh ? { Require: 'timer' } : {}),
  };
}

/** Seconds of a Min-SE header; null if there is no valid one. */
export function minSeSeconds(header: string | undefined): number | null {
  const seconds = /^\s*(\d{1,9})\b/.exec(header ?? '')?.[1];
  return seconds === undefined ? null : Number(seconds);
}
