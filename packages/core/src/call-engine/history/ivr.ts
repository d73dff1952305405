/** A call's IVR sessions. At most one is open at a time. */
import type { Tx } from '@clarion/db';
import type { HistoryEffect } from '../../call-machine/effects.ts';

export async function writeIvr(
  tx: Tx,
  callId: number,
  effect: Extract<HistoryEffect, { kind: 'ivr' }>,
  now: Date,
): Promise<void> {
  if (effect.change === 'begin') {
    await tx.ivrSession.create({ data: { callId, ivrFlowId: effect.ivrFlowId, startedAt: now } });
    return;
  }
  const session = await tx.ivrSession.findFirst({
    where: { callId, endedAt: null },
    orderBy: { id: 'desc' },
    select: { id: true },
  });
  if (!session) return;
  if (effect.change === 'input') {
    const { nodeName, input } = effect;
    await tx.ivrInput.create({ data: { ivrSessionId: session.id, nodeName, input, pressedAt: now } });
    return;
  }
  const { completed, outcome } = effect;
  await tx.ivrSession.update({ where: { id: session.id }, data: { completed, outcome, endedAt: now } });
}
