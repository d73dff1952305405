import type { Tx } from '@clarion/db';

/**
 * Reserves an idle agent for a call before its step, in the step's transaction. An agent is only ever reserved while `currentCallId` is
 * null, so never for two calls.
 */
export async function reserveAgent(tx: Tx, agentId: number, callId: number): Promise<boolean> {
  const { count } = await tx.agent.updateMany({
    where: { id: agentId, currentCallId: null, deletedAt: null },
    data: { currentCallId: callId, onCall: false },
  });
  return count === 1;
}
