/**
 * Checks by the documentation of the strategies, without the machine's code, whether the end of an offer restarts the agent's idle time: only
 * an agent who declines or misses the call, or whom no push notification woke, loses their place, never one whose caller hung up, whose
 * colleague was faster or whose app lost its connection.
 */
import { offersOf } from '../../call-machine/state.ts';
import type { CallState } from '../../call-machine/state.ts';
import type { CallEvent } from '../../call-machine/event.ts';

export interface Release {
  agentId: number;
  /** The call before the step that releases the agent. */
  before: CallState;
  event: CallEvent;
  now: number;
  restarts: boolean;
}

/** @returns the violations, as sentences */
export function judgeRelease({ agentId, before, event, now, restarts }: Release): string[] {
  const offer = offersOf(before).find((each) => each.agentId === agentId);
  if (!offer) return [];
  const declined = (event.type === 'decline' || event.type === 'hangup') && event.agentId === agentId;
  const missed = event.type === 'tick' && now >= offer.expiresAt && offer.goneAt === undefined;
  // Offers are shorter than the grace period for a device to wake.
  const unreached = event.type === 'tick' && now >= offer.expiresAt && offer.waking === true;
  // If the maximum wait ends at the same moment, the call leaves the queue and the offer is withdrawn.
  const leaveAt = 'wait' in before ? before.wait?.leaveAt : null;
  if (unreached && typeof leaveAt === 'number' && now >= leaveAt) return [];
  if (restarts === (declined || missed || unreached)) return [];
  const did = restarts ? 'restarts' : 'keeps';
  return [`${before.callId} (${before.phase}): ${event.type} ${did} the idle time of ${agentId}`];
}
