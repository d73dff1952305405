/** A call's transfers. At most one is open at a time; one that no agent accepted has no `acceptedAt`. */
import type { Tx } from '@clarion/db';
import type { HistoryEffect } from '../../call-machine/effects.ts';

export async function writeTransfer(
  tx: Tx,
  callId: number,
  effect: Extract<HistoryEffect, { kind: 'transfer' }>,
  now: Date,
): Promise<void> {
  if (effect.change === 'begin') {
    const { fromAgentId, to } = effect;
    await tx.callTransfer.create({
      data: {
        callId,
        fromAgentId,
        ...(to.kind === 'agent' ? { toAgentId: to.agentId } : { toQueueId: to.queueId }),
        initiatedByAgentId: fromAgentId,
        initiatedByType: 'AGENT',
        transferredAt: now,
      },
    });
    return;
  }
  const latest = await tx.callTransfer.findFirst({
    where: { callId },
    orderBy: { id: 'desc' },
    select: { id: true },
  });
  if (!latest) return;
  await tx.callTransfer.update({
    where: { id: latest.id },
    data: { toAgentId: effect.agentId, acceptedAt: now },
  });
}
