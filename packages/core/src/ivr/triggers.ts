/** Which of a line's flows takes a call (docs/requirements.md#lines), by the availability of the line's queue members. Pure. */
import type { IvrTrigger } from '@clarion/protocol';

export interface Member {
  connected: boolean;
  /** On shift: the agent chose AVAILABLE. */
  available: boolean;
  onCall: boolean;
}

/**
 * The triggers that hold, in the order in which they apply. A line without a queue has no members who could be offline or busy, so only
 * ALWAYS holds.
 *
 * ALL_AGENTS_OFFLINE: no member is connected and AVAILABLE or ON_CALL. ALL_AGENTS_BUSY: at least one is, and each of them is ON_CALL;
 * ringing and wrap-up do not count. The two never hold at the same time.
 *
 * @param members of the line's own queue, not of its overflow chain; null: the line has no queue
 */
export function matchingTriggers(members: readonly Member[] | null): IvrTrigger[] {
  if (members === null) return ['ALWAYS'];
  const there = members.filter(({ connected, available, onCall }) => connected && (available || onCall));
  if (there.length === 0) return ['ALL_AGENTS_OFFLINE', 'ALWAYS'];
  return there.every(({ onCall }) => onCall) ? ['ALL_AGENTS_BUSY', 'ALWAYS'] : ['ALWAYS'];
}
