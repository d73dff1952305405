/** Finds a queue of the tenant. Queues of other tenants are not found. */
import { notFound } from '@clarion/protocol';
import type { Prisma, Tenant } from '@clarion/db';
import type { Ctx } from '../context.ts';

/** Members by priority, then by ID. */
export const withMembers = {
  members: {
    include: { agent: { select: { ref: true } } },
    orderBy: [{ priority: 'asc' }, { agentId: 'asc' }],
  },
} satisfies Prisma.QueueInclude;
export type QueueRow = Prisma.QueueGetPayload<{ include: typeof withMembers }>;

export async function queueOf(ctx: Ctx, tenant: Tenant, ref: string): Promise<QueueRow> {
  const queue = await findQueue(ctx, tenant, ref);
  if (!queue) throw notFound('The queue');
  return queue;
}

export async function findQueue(ctx: Ctx, tenant: Tenant, ref: string): Promise<QueueRow | null> {
  return ctx.db.queue.findUnique({
    where: { tenantId_ref: { tenantId: tenant.id, ref } },
    include: withMembers,
  });
}
