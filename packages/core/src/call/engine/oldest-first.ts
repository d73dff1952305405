/** In which order queues that share agents are dispatched: by the age of their calls, whichever queue each is in. */
import type { Database } from '@clarion/db';

/** Calls whose order is kept exactly; of more, the queues follow by their oldest. */
const MAX_ORDERED_CALLS = 500;

export interface Turn {
  queueId: number;
  /** Its calls that have waited since then or longer come before any call of the next turn; undefined: all of them. */
  waitingSince: Date | undefined;
}

/** @param queueIds queues of one agent, say */
export async function turnsOf(db: Database, queueIds: readonly number[]): Promise<Turn[]> {
  if (queueIds.length === 0) return [];
  const waiting = await db.liveCall.findMany({
    where: { waitingQueueId: { in: [...queueIds] } },
    orderBy: [{ waitingSince: 'asc' }, { callId: 'asc' }],
    take: MAX_ORDERED_CALLS,
    select: { waitingQueueId: true, waitingSince: true },
  });
  return inTurns(
    waiting.flatMap(({ waitingQueueId, waitingSince }) =>
      waitingQueueId === null || waitingSince === null ? [] : [{ queueId: waitingQueueId, waitingSince }],
    ),
  );
}

/**
 * Neighbours of one queue are one turn, and each queue's last turn takes all that is left of it.
 *
 * @param calls oldest first
 */
export function inTurns(calls: readonly { queueId: number; waitingSince: Date }[]): Turn[] {
  const turns: { queueId: number; waitingSince: Date | undefined }[] = [];
  for (const { queueId, waitingSince } of calls) {
    const last = turns.at(-1);
    if (last?.queueId === queueId) last.waitingSince = waitingSince;
    else turns.push({ queueId, waitingSince });
  }
  for (const queueId of new Set(turns.map((turn) => turn.queueId))) {
    const last = turns.findLast((turn) => turn.queueId === queueId);
    if (last) last.waitingSince = undefined;
  }
  return turns;
}
