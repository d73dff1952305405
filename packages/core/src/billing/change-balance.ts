/** Top-ups and manual adjustments of a balance, whoever owns the account. */
import { randomUUID } from 'node:crypto';
import { ApiError, invalidField } from '@clarion/protocol';
import type { BillingAccount } from '@clarion/db';
import type {
  ChangedBalance,
  CreateAdjustment,
  CreateTopUp,
} from '@clarion/protocol/v1/price/tenant-billing';
import { lockTenant } from '../channel/lock-tenant.ts';
import { inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { accountOf } from './account-of.ts';
import type { AccountOwner } from './account-of.ts';
import { book, MAX_BALANCE_DIGITS } from './book.ts';
import type { Entry } from './book.ts';
import { presentAccount } from './present.ts';
import { recordChange } from './record-change.ts';
import type { ChangeCtx } from './record-change.ts';

/** A retry with the same Idempotency-Key books nothing. @throws 404; 409 not_prepaid */
export async function createTopUp(ctx: Ctx, tenantRef: string, input: CreateTopUp): Promise<ChangedBalance> {
  return inTransaction(ctx, async (inner) => {
    const tenant = await lockTenant(inner, tenantRef);
    return topUp(inner, { ...inner, tenant }, input);
  });
}

/** A retry with the same Idempotency-Key books nothing. @throws 404 */
export async function createAdjustment(
  ctx: Ctx,
  tenantRef: string,
  input: CreateAdjustment,
): Promise<ChangedBalance> {
  return inTransaction(ctx, async (inner) => {
    const tenant = await lockTenant(inner, tenantRef);
    return adjust(inner, { ...inner, tenant }, input);
  });
}

/** The owner must be locked before the account, as its deletion does, so that the mode stays as it is read. @throws 404; 409 not_prepaid */
export async function topUp(
  ctx: ChangeCtx,
  owner: AccountOwner,
  { amount, reference }: CreateTopUp,
): Promise<ChangedBalance> {
  const account = await accountOf(ctx.db, owner);
  if (account.mode !== 'PREPAID') throw new ApiError('not_prepaid');
  const source = `top-up:${randomUUID()}`;
  return changeBalance(ctx, owner, account, { kind: 'TOP_UP', amount, source, description: reference });
}

/** May take any account below zero. The owner must be locked. @throws 404 */
export async function adjust(
  ctx: ChangeCtx,
  owner: AccountOwner,
  { amount, reason }: CreateAdjustment,
): Promise<ChangedBalance> {
  const account = await accountOf(ctx.db, owner);
  const source = `adjustment:${randomUUID()}`;
  return changeBalance(ctx, owner, account, { kind: 'ADJUSTMENT', amount, source, description: reason });
}

async function changeBalance(
  ctx: ChangeCtx,
  owner: AccountOwner,
  { id, currency }: BillingAccount,
  entry: Entry & { kind: 'TOP_UP' | 'ADJUSTMENT' },
): Promise<ChangedBalance> {
  const account = await book(ctx.db, id, entry, ctx.now);
  if (!account) {
    const message = `amount: the balance would have more than ${MAX_BALANCE_DIGITS} digits before the decimal point.`;
    throw invalidField('amount', message);
  }
  const change = entry.kind === 'TOP_UP' ? 'top_up' : 'adjust';
  await recordChange(ctx, owner, account, change, { amount: entry.amount, currency });
  return { balance: account.balance.toFixed(), account: presentAccount(account) };
}
