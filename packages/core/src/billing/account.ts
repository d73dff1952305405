/** The billing account of a tenant: read, opened and changed by its consumer. */
import type { BillingAccountResource, PutBillingAccount } from '@clarion/protocol/v1/price/tenant-billing';
import { lockTenant } from '../channel/lock-tenant.ts';
import { inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { isLow } from '../ledger/low-balance.ts';
import { factsOf } from '../ledger/stored-account.ts';
import { findAccount } from './account-of.ts';
import { presentAccount } from './present.ts';
import { SET_ACCOUNT_LIMITS, setAccount } from './set-account.ts';

export interface TenantBilling {
  tenantRef: string;
  pricePlanId: number | null;
  account: BillingAccountResource | null;
  lowBalance: boolean;
}

/** @throws 404 */
export async function getTenantBilling(ctx: Ctx, tenantRef: string): Promise<TenantBilling> {
  const tenant = await tenantOf(ctx, tenantRef);
  const account = await findAccount(ctx.db, { ...ctx, tenant });
  return {
    tenantRef: tenant.ref,
    pricePlanId: tenant.pricePlanId,
    account: account && presentAccount(account),
    lowBalance: account !== null && isLow(factsOf(account)),
  };
}

/** @throws 404; 400 `currency` */
export async function putBillingAccount(
  ctx: Ctx,
  tenantRef: string,
  input: PutBillingAccount,
): Promise<BillingAccountResource> {
  return inTransaction(
    ctx,
    async (inner) => {
      const tenant = await lockTenant(inner, tenantRef);
      return presentAccount(await setAccount(inner, { ...inner, tenant }, () => input));
    },
    SET_ACCOUNT_LIMITS,
  );
}
