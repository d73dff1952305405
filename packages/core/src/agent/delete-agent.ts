/**
 * Deletes an agent: realtime disconnects their apps, and their tokens are rejected until a new PUT. The row is kept, so that history keeps
 * the name and personal lines keep their owner. Role and do-not-disturb are reset.
 */
import { notify } from '@clarion/db';
import { audit, inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { agentOf } from './agent-of.ts';
import { recordAvailability } from './record-availability.ts';
import { recordShift } from './set-shift.ts';

export async function deleteAgent(ctx: Ctx, tenantRef: string, ref: string): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const { db } = inner;
    const tenant = await tenantOf(inner, tenantRef);
    const { id, shift } = await agentOf(inner, tenant, ref);
    const queues = await db.queueMember.findMany({ where: { agentId: id }, select: { queueId: true } });
    await db.queueMember.deleteMany({ where: { agentId: id } });
    await db.agent.update({
      where: { id },
      data: {
        deletedAt: inner.now,
        shift: 'OFFLINE',
        role: 'AGENT',
        doNotDisturb: false,
        consecutiveMissed: 0,
      },
    });
    // Runs after the agent's row is locked: a token that is being registered is visible by now, and a later registration finds no agent.
    await db.pushToken.deleteMany({ where: { agentId: id } });
    await recordShift(inner.db, id, 'OFFLINE', inner.now);
    if (shift !== 'OFFLINE') await recordAvailability(db, id, inner.now, { ofShift: true });
    await audit(inner, { action: 'agent.delete', target: ref, tenantId: tenant.id });
    await notify(db, 'clarion_agent', id);
    for (const { queueId } of queues) await notify(db, 'clarion_queue', queueId);
  });
}
