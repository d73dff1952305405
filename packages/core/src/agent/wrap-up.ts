/**
 * Wrap-up: the time after a queue's call during which queues offer the agent no call. It begins when the call ends
 * (call-engine/history.ts).
 */
import type { Database, Tx } from '@clarion/db';

/**
 * Ends the wrap-up early and restarts the agent's idle time.
 * @returns false if the agent was not in wrap-up
 */
export async function endWrapUp(db: Tx, agentId: number, now: Date): Promise<boolean> {
  const { count } = await db.agent.updateMany({
    where: { id: agentId, wrapUpUntil: { not: null } },
    data: { wrapUpUntil: null, idleSince: now },
  });
  return count > 0;
}

/** Wrap-ups that end by `until`, soonest first. */
export async function wrapUpsEndingBy(
  db: Database,
  until: Date,
  most: number,
): Promise<{ agentId: number; at: Date }[]> {
  const agents = await db.agent.findMany({
    where: { wrapUpUntil: { lte: until } },
    orderBy: { wrapUpUntil: 'asc' },
    take: most,
    select: { id: true, wrapUpUntil: true },
  });
  return agents.flatMap(({ id, wrapUpUntil }) => (wrapUpUntil ? [{ agentId: id, at: wrapUpUntil }] : []));
}

/**
 * Clears a wrap-up that has ended. Of several nodes only one succeeds.
 * @returns whether this node did
 */
export async function clearWrapUp(db: Database, agentId: number, now: Date): Promise<boolean> {
  const { count } = await db.agent.updateMany({
    where: { id: agentId, wrapUpUntil: { lte: now } },
    data: { wrapUpUntil: null },
  });
  return count > 0;
}
