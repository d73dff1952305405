/**
 * What follows an INVITE that was not answered: the next destination of the trunk, the next trunk, or the end of the
 * call (docs/decisions/outbound-failover.md). Pure.
 */
import type { LegEnd } from '@clarion/protocol/media';

/** final: nothing else is tried. destination: the trunk's next one. trunk: the next trunk. */
export type Next = 'final' | 'destination' | 'trunk';

/** Q.850 causes of the called number or person, whatever the status: another route leads to the same phone. */
const CAUSES_OF_THE_CALLED = new Set([
  1, // unallocated number
  17, // user busy
  18, // no user responding
  19, // no answer from user
  20, // subscriber absent
  21, // call rejected
  22, // number changed
  28, // invalid number format
]);

/**
 * Responses about our account with this carrier (401, 402, 403, 407), and 404 without a cause of the called number,
 * with which carriers report that they have no route. Another destination of the same carrier would respond the same.
 */
const STATUSES_OF_THE_TRUNK = new Set([401, 402, 403, 404, 407]);

export function afterFailure({ cause, sipStatus, q850, provisional, reason }: LegEnd): Next {
  // A person may have been rung, and may have declined.
  if (provisional) return 'final';
  if (cause === 'unreachable') return reason === 'trunk_rate_limit' ? 'trunk' : 'destination';
  if (cause !== 'rejected' || sipStatus === null) return 'final';
  if (q850 !== null && CAUSES_OF_THE_CALLED.has(q850)) return 'final';
  // A redirect that was not followed, or whose targets failed.
  if (sipStatus < 400) return 'trunk';
  if (sipStatus === 408 || (sipStatus >= 500 && sipStatus < 600)) return 'destination';
  return STATUSES_OF_THE_TRUNK.has(sipStatus) ? 'trunk' : 'final';
}
