/** Deletes a queue that nothing uses. */
import { notifyAfterCommit } from '@clarion/db';
import { inUse } from '@clarion/protocol';
import { audit, inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { queueOf } from './queue-of.ts';

/** @throws 409 in_use naming lines, queues that overflow here, IVR flows and live calls */
export async function deleteQueue(ctx: Ctx, tenantRef: string, ref: string): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const { db } = inner;
    const tenant = await tenantOf(inner, tenantRef);
    const { id } = await queueOf(inner, tenant, ref);
    // Concurrent changes that refer to the queue wait for this lock.
    await db.$queryRaw`select 1 from "Queue" where "id" = ${id} for update`;
    const usedBy = await usersOf(inner, id);
    if (usedBy.length > 0) throw inUse(usedBy);
    await db.queue.deleteMany({ where: { id } });
    await audit(inner, { action: 'queue.delete', target: ref, tenantId: tenant.id });
    await notifyAfterCommit(db, 'clarion_queue', id);
  });
}

async function usersOf({ db }: Ctx, queueId: number): Promise<string[]> {
  const lines = await db.channel.findMany({ where: { inboundQueueId: queueId }, select: { ref: true } });
  const queues = await db.queue.findMany({ where: { overflowQueueId: queueId }, select: { ref: true } });
  const flows = await db.ivrFlow.findMany({
    where: { queues: { some: { queueId } } },
    select: { ref: true },
  });
  const calls = await db.liveCall.findMany({
    where: { OR: [{ waitingQueueId: queueId }, { activeQueueId: queueId }] },
    select: { callId: true },
  });
  return [
    ...lines.map(({ ref }) => `channel:${ref}`),
    ...queues.map(({ ref }) => `queue:${ref}`),
    ...flows.map(({ ref }) => `ivrFlow:${ref}`),
    ...calls.map(({ callId }) => `call:${callId}`),
  ];
}
