/** The billing account of a tenant: read, opened and changed. */
import { invalidField } from '@clarion/protocol';
import type { BillingAccountResource, PutBillingAccount } from '@clarion/protocol/v1/price/tenant-billing';
import { lockTenant } from '../channel/lock-tenant.ts';
import { audit, inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { changedTerms, currencyProblem, leavesPostpaid } from '../ledger/account-terms.ts';
import { millionthsOf } from '../rating/millionths.ts';
import { findAccount } from './account-of.ts';
import { lockAccount } from './account-standing.ts';
import { announceLowBalance } from './announce-low-balance.ts';
import { lockCycle } from './billing-cycle.ts';
import { issueLastInvoice } from './last-invoice.ts';
import { presentAccount } from './present.ts';

/** A last invoice may have a million charges. */
const TIMEOUT_MS = 2 * 60_000;

export interface TenantBilling {
  tenantRef: string;
  pricePlanId: number | null;
  account: BillingAccountResource | null;
}

/** @throws 404 */
export async function getTenantBilling(ctx: Ctx, tenantRef: string): Promise<TenantBilling> {
  const tenant = await tenantOf(ctx, tenantRef);
  const account = await findAccount(ctx, tenant);
  return {
    tenantRef: tenant.ref,
    pricePlanId: tenant.pricePlanId,
    account: account && presentAccount(account),
  };
}

/**
 * The tenant is locked, so that its price plan cannot change meanwhile, and the plan's currency cannot while the tenant is on it.
 *
 * @throws 404; 400 `currency`
 */
export async function putBillingAccount(
  ctx: Ctx,
  tenantRef: string,
  input: PutBillingAccount,
): Promise<BillingAccountResource> {
  const change = async (inner: Ctx): Promise<BillingAccountResource> => {
    const { db, consumer } = inner;
    const tenant = await lockTenant(inner, tenantRef);
    const opened = await findAccount(inner, tenant);
    // Its invoices are made in this order, too: first the cycle is locked, then the account.
    const cycle = opened && (await lockCycle(db, opened.id));
    // Charges do not lock the tenant, and change the balance.
    const before = opened && (await lockAccount(db, opened.id));
    const plan =
      tenant.pricePlanId === null
        ? null
        : await db.pricePlan.findUnique({ where: { id: tenant.pricePlanId } });
    const problem = currencyProblem(
      input.currency,
      before && {
        currency: before.currency,
        balance: millionthsOf(before.balance.toFixed()),
        hasOpenInvoice: (await db.invoice.count({ where: { accountId: before.id, status: 'OPEN' } })) > 0,
      },
      plan?.currency ?? null,
    );
    if (problem !== null) throw invalidField('currency', problem);
    const terms = changedTerms(input, before);
    if (cycle && leavesPostpaid(terms, cycle)) await issueLastInvoice(db, cycle, inner.now);
    const account = before
      ? await db.billingAccount.update({ where: { id: before.id }, data: terms })
      : await db.billingAccount.create({
          data: {
            ...terms,
            consumerId: consumer.id,
            owner: 'TENANT',
            tenantId: tenant.id,
            tenantRef: tenant.ref,
          },
        });
    await announceLowBalance(inner, tenant, account);
    await audit(inner, {
      action: 'billing_account.put',
      target: tenant.ref,
      tenantId: tenant.id,
      details: { mode: account.mode, currency: account.currency, creditLimit: terms.creditLimit },
    });
    return presentAccount(account);
  };
  return inTransaction(ctx, change, { timeout: TIMEOUT_MS });
}
