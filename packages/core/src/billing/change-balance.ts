/** Top-ups and manual adjustments of a tenant's balance. A retry with the same Idempotency-Key books nothing. */
import { randomUUID } from 'node:crypto';
import { ApiError, invalidField } from '@clarion/protocol';
import type { BillingAccount, Tenant } from '@clarion/db';
import type {
  ChangedBalance,
  CreateAdjustment,
  CreateTopUp,
} from '@clarion/protocol/v1/price/tenant-billing';
import type { AuditAction } from '../audit-actions.ts';
import { lockTenant } from '../channel/lock-tenant.ts';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { accountOf } from './account-of.ts';
import { announceLowBalance } from './announce-low-balance.ts';
import { book, MAX_BALANCE_DIGITS } from './book.ts';
import type { Entry } from './book.ts';
import { presentAccount } from './present.ts';

/** @throws 404; 409 not_prepaid */
export async function createTopUp(
  ctx: Ctx,
  tenantRef: string,
  { amount, reference }: CreateTopUp,
): Promise<ChangedBalance> {
  return inTransaction(ctx, async (inner) => {
    const { tenant, account } = await lockedAccount(inner, tenantRef);
    if (account.mode !== 'PREPAID') throw new ApiError('not_prepaid');
    const source = `top-up:${randomUUID()}`;
    return changeBalance(inner, tenant, account, 'billing_account.top_up', {
      kind: 'TOP_UP',
      amount,
      source,
      description: reference,
    });
  });
}

/** May take any account below zero. @throws 404 */
export async function createAdjustment(
  ctx: Ctx,
  tenantRef: string,
  { amount, reason }: CreateAdjustment,
): Promise<ChangedBalance> {
  return inTransaction(ctx, async (inner) => {
    const { tenant, account } = await lockedAccount(inner, tenantRef);
    const source = `adjustment:${randomUUID()}`;
    return changeBalance(inner, tenant, account, 'billing_account.adjust', {
      kind: 'ADJUSTMENT',
      amount,
      source,
      description: reason,
    });
  });
}

/** The tenant is locked before the account, as its deletion does, and the mode stays as it is read. */
async function lockedAccount(ctx: Ctx, tenantRef: string) {
  const tenant = await lockTenant(ctx, tenantRef);
  return { tenant, account: await accountOf(ctx, tenant) };
}

async function changeBalance(
  ctx: Ctx,
  tenant: Tenant,
  { id, currency }: BillingAccount,
  action: AuditAction,
  entry: Entry,
): Promise<ChangedBalance> {
  const account = await book(ctx.db, id, entry, ctx.now);
  if (!account) {
    const message = `amount: the balance would have more than ${MAX_BALANCE_DIGITS} digits before the decimal point.`;
    throw invalidField('amount', message);
  }
  await announceLowBalance(ctx, tenant, account);
  await audit(ctx, {
    action,
    target: tenant.ref,
    tenantId: tenant.id,
    details: { amount: entry.amount, currency, balance: account.balance.toFixed() },
  });
  return { balance: account.balance.toFixed(), account: presentAccount(account) };
}
