/** Finds a line of the tenant. Lines of other tenants are not found. */
import { notFound } from '@clarion/protocol';
import type { Prisma, Tenant } from '@clarion/db';
import type { Ctx } from '../context.ts';

export const withNumber = { number: { select: { id: true } } } satisfies Prisma.ChannelInclude;
export type ChannelRow = Prisma.ChannelGetPayload<{ include: typeof withNumber }>;

export async function channelOf(ctx: Ctx, tenant: Tenant, ref: string): Promise<ChannelRow> {
  const channel = await findChannel(ctx, tenant, ref);
  if (!channel) throw notFound('The line');
  return channel;
}

export async function findChannel(ctx: Ctx, tenant: Tenant, ref: string): Promise<ChannelRow | null> {
  return ctx.db.channel.findUnique({
    where: { tenantId_ref: { tenantId: tenant.id, ref } },
    include: withNumber,
  });
}
