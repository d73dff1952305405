/** Reading queues. */
import type { MemberResource, QueueResource } from '@clarion/protocol/v1/tenant/queues';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { presentMembers, presentQueue } from './present.ts';
import { queueOf, withMembers } from './queue-of.ts';

export async function getQueue(ctx: Ctx, tenantRef: string, ref: string): Promise<QueueResource> {
  return presentQueue(await queueOf(ctx, await tenantOf(ctx, tenantRef), ref));
}

export async function getQueueMembers(ctx: Ctx, tenantRef: string, ref: string): Promise<MemberResource[]> {
  return presentMembers(await queueOf(ctx, await tenantOf(ctx, tenantRef), ref));
}

/** Oldest first. */
export async function listQueues(ctx: Ctx, tenantRef: string): Promise<QueueResource[]> {
  const tenant = await tenantOf(ctx, tenantRef);
  const queues = await ctx.db.queue.findMany({
    where: { tenantId: tenant.id },
    orderBy: { id: 'asc' },
    include: withMembers,
  });
  return queues.map(presentQueue);
}
