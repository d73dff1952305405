/** Serialises changes to the lines of one tenant: each decides from the result of the one before. */
import type { Tenant } from '@clarion/db';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';

/** Runs in a transaction. The lock does not block inserts that only refer to the tenant, such as calls and agents. */
export async function lockTenant(ctx: Ctx, ref: string): Promise<Tenant> {
  await ctx.db.$queryRaw`
    select 1 from "Tenant" where "consumerId" = ${ctx.consumer.id} and "ref" = ${ref} for no key update`;
  return tenantOf(ctx, ref);
}
