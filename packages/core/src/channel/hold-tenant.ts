/** Changes to the lines of one tenant happen one after the other: each decides from what the one before has left. */
import type { Tenant } from '@clarion/db';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';

/** Within a transaction. Whoever only refers to the tenant, a call or an agent, is not kept waiting. */
export async function holdTenant(ctx: Ctx, ref: string): Promise<Tenant> {
  await ctx.db.$queryRaw`
    select 1 from "Tenant" where "consumerId" = ${ctx.consumer.id} and "ref" = ${ref} for no key update`;
  return tenantOf(ctx, ref);
}
