/** Reading tenants. */
import type { TenantResource } from '@clarion/protocol/v1/tenants';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { presentTenant } from './present.ts';

export async function getTenant(ctx: Ctx, ref: string): Promise<TenantResource> {
  return presentTenant(await tenantOf(ctx, ref));
}

/** Oldest first. */
export async function listTenants(ctx: Ctx): Promise<TenantResource[]> {
  const tenants = await ctx.db.tenant.findMany({
    where: { consumerId: ctx.consumer.id },
    orderBy: { id: 'asc' },
  });
  return tenants.map(presentTenant);
}
