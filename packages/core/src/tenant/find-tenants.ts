/** Reading tenants. */
import type { ListedTenant, ListTenants, TenantResource } from '@clarion/protocol/v1/tenant/tenants';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { presentTenant } from './present.ts';

export async function getTenant(ctx: Ctx, ref: string): Promise<TenantResource> {
  return presentTenant(await tenantOf(ctx, ref));
}

/** Oldest first. Deleted agents are not counted. */
export async function listTenants(ctx: Ctx, { counts }: ListTenants): Promise<ListedTenant[]> {
  const tenants = await ctx.db.tenant.findMany({
    where: { consumerId: ctx.consumer.id },
    orderBy: { id: 'asc' },
    include: {
      _count: counts && { select: { agents: { where: { deletedAt: null } }, queues: true, channels: true } },
    },
  });
  return tenants.map((tenant) => ({
    ...presentTenant(tenant),
    ...(counts && { counts: tenant._count }),
  }));
}
