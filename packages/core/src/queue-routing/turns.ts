/** The order in which queues that share agents are dispatched: by the age of their calls. Pure. */
import type { WaitingCall } from './snapshot.ts';

export interface Queued {
  queueId: number;
  call: WaitingCall;
}

export interface Turn {
  queueId: number;
  /** Longest waiting first. */
  calls: WaitingCall[];
}

/**
 * Calls of one queue form a turn if no older call of another queue is between them. A strategy handles a queue's calls in order of age, so
 * several turns have the same result as one.
 *
 * @param calls longest waiting first
 */
export function inTurns(calls: readonly Queued[]): Turn[] {
  const turns: Turn[] = [];
  for (const { queueId, call } of calls) {
    const last = turns.at(-1);
    if (last?.queueId === queueId) last.calls.push(call);
    else turns.push({ queueId, calls: [call] });
  }
  return turns;
}
