/** Which of a line's flows takes a call (docs/requirements.md#lines), by who of the line's queue is there. Pure. */
import type { IvrTrigger } from '@clarion/protocol';

export interface Member {
  connected: boolean;
  /** On shift: AVAILABLE as the agent chose it. */
  available: boolean;
  onCall: boolean;
}

/**
 * The triggers that hold, the first to be asked first. A line without a queue has nobody of whom it could be said that all are
 * away or busy: only ALWAYS holds.
 *
 * ALL_AGENTS_OFFLINE: no member is connected and AVAILABLE or ON_CALL. ALL_AGENTS_BUSY: somebody is, and each of them is ON_CALL; who
 * rings, or wraps a call up, is not. The two never hold at once.
 *
 * @param members of the line's own queue, not of those it overflows to; null: the line has no queue
 */
export function triggersThatHold(members: readonly Member[] | null): IvrTrigger[] {
  if (members === null) return ['ALWAYS'];
  const there = members.filter(({ connected, available, onCall }) => connected && (available || onCall));
  if (there.length === 0) return ['ALL_AGENTS_OFFLINE', 'ALWAYS'];
  return there.every(({ onCall }) => onCall) ? ['ALL_AGENTS_BUSY', 'ALWAYS'] : ['ALWAYS'];
}
