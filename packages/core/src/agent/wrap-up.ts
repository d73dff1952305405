/** Wrap-up: the time after a queue's call in which queues leave the agent in peace. It begins with the end of the call (call-engine/history.ts). */
import type { Database, Tx } from '@clarion/db';

/** The agent is ready before it is over, and goes to the back of the line of idle agents. @returns false when there was none */
export async function endWrapUp(db: Tx, agentId: number, now: Date): Promise<boolean> {
  const { count } = await db.agent.updateMany({
    where: { id: agentId, wrapUpUntil: { not: null } },
    data: { wrapUpUntil: null, idleSince: now },
  });
  return count > 0;
}

/** Those that end by `until`, soonest first. */
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

/** Takes the mark of a wrap-up that is over away. Of several nodes one does. @returns whether this was the one */
export async function passWrapUp(db: Database, agentId: number, now: Date): Promise<boolean> {
  const { count } = await db.agent.updateMany({
    where: { id: agentId, wrapUpUntil: { lte: now } },
    data: { wrapUpUntil: null },
  });
  return count > 0;
}
