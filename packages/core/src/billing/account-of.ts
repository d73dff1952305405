/** Finds the billing account of a tenant. A tenant that was created again under the ref of a deleted one has none. */
import { notFound } from '@clarion/protocol';
import type { BillingAccount, Tenant } from '@clarion/db';
import type { Ctx } from '../context.ts';

export const findAccount = ({ db }: Ctx, { id }: Tenant): Promise<BillingAccount | null> =>
  db.billingAccount.findUnique({ where: { tenantId: id } });

/** @throws 404 */
export async function accountOf(ctx: Ctx, tenant: Tenant): Promise<BillingAccount> {
  const account = await findAccount(ctx, tenant);
  if (!account) throw notFound('The billing account');
  return account;
}
