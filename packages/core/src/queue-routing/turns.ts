/** In which order queues that share agents have their turn: by the age of their calls. Pure. */
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
 * Calls of one queue that no older call of another comes between are one turn. A strategy goes through a queue's calls by their age and
 * never back, so that several turns come to the same as one.
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
