/** Reading lines. */
import type { ChannelResource, ListChannels } from '@clarion/protocol/v1/tenant/channels';
import type { Prisma, Tenant } from '@clarion/db';
import { agentOf } from '../agent/agent-of.ts';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { addressForms } from '../numbers/address-forms.ts';
import { channelOf, withNumber } from './channel-of.ts';
import { presentChannel } from './present.ts';

export async function getChannel(ctx: Ctx, tenantRef: string, ref: string): Promise<ChannelResource> {
  const tenant = await tenantOf(ctx, tenantRef);
  return presentChannel(await channelOf(ctx, tenant, ref), tenant, ctx.consumer);
}

/**
 * Oldest first. Without a limit every match, and no next page.
 *
 * @throws 404 when the owner to filter by is unknown
 */
export async function listChannels(
  ctx: Ctx,
  tenantRef: string,
  query: ListChannels,
): Promise<{ channels: ChannelResource[]; nextAfterId: number | null }> {
  const tenant = await tenantOf(ctx, tenantRef);
  const { limit } = query;
  const found = await ctx.db.channel.findMany({
    where: await filterOf(ctx, tenant, query),
    orderBy: { id: 'asc' },
    include: withNumber,
    // One more than asked for tells whether there is a next page.
    ...(limit !== null && { take: limit + 1 }),
  });
  const page = limit === null ? found : found.slice(0, limit);
  return {
    channels: page.map((channel) => presentChannel(channel, tenant, ctx.consumer)),
    nextAfterId: page.length < found.length ? (page.at(-1)?.id ?? null) : null,
  };
}

async function filterOf(ctx: Ctx, tenant: Tenant, query: ListChannels): Promise<Prisma.ChannelWhereInput> {
  const { type, ownerAgentRef, unowned, address, afterId } = query;
  return {
    tenantId: tenant.id,
    ...(type && { type }),
    ...(ownerAgentRef !== null && { ownerAgentId: (await agentOf(ctx, tenant, ownerAgentRef)).id }),
    ...(unowned && { ownerAgentId: null }),
    ...(address !== null && { address: { in: addressForms(address) } }),
    ...(afterId !== null && { id: { gt: afterId } }),
  };
}
