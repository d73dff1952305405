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

/**
 * Clears a wrap-up that has ended. The agent's idle time starts at its end, unless it started later. Of several nodes only one succeeds.
 * @returns whether this node did
 */
export async function clearWrapUp(db: Database, agentId: number, now: Date): Promise<boolean> {
  const count = await db.$executeRaw`
    update "Agent" set "idleSince" = greatest("idleSince", "wrapUpUntil"), "wrapUpUntil" = null, "updatedAt" = ${now}
    where "id" = ${agentId} and "wrapUpUntil" <= ${now}`;
  return count > 0;
}
