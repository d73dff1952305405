/** How a forwarded call ends, from the end of one of its legs. Pure. */
import type { LegEnd } from '@clarion/protocol/media';
import type { ForwardEnding } from './forwarded-calls.ts';

const TEMPORARILY_UNAVAILABLE = 480;
const REQUEST_TERMINATED = 487;
const SERVICE_UNAVAILABLE = 503;

/** @param leg which one ended: the caller's, or that of the called person */
export function forwardEndingOf(leg: 'in' | 'out', end: LegEnd): ForwardEnding {
  const other = leg === 'in' ? 'CALLER' : 'CALLED';
  return {
    endedBy: isOfRemote(end) ? other : 'SYSTEM',
    reason: end.message,
    sipStatus: leg === 'in' ? REQUEST_TERMINATED : statusFor(end),
  };
}

const isOfRemote = ({ cause }: LegEnd): boolean =>
  cause === 'remote-bye' || cause === 'remote-cancel' || cause === 'rejected';

/**
 * What the caller's carrier gets: the response of the called side, so that it knows what a direct call would have told it. A 3xx, 401 or 407
 * was meant for us (RFC 3261 sections 8.1.3.4 and 22.2), and after a 5xx it may try elsewhere.
 */
function statusFor({ cause, sipStatus }: LegEnd): number {
  if (cause === 'no-answer-local') return TEMPORARILY_UNAVAILABLE;
  if (cause !== 'rejected' || sipStatus === null) return SERVICE_UNAVAILABLE;
  if (sipStatus < 400 || sipStatus === 401 || sipStatus === 407) return TEMPORARILY_UNAVAILABLE;
  return sipStatus >= 500 && sipStatus < 600 ? SERVICE_UNAVAILABLE : sipStatus;
}
