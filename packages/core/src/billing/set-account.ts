/** Opens or changes a billing account, whoever owns it. */
import { invalidField } from '@clarion/protocol';
import type { BillingAccount } from '@clarion/db';
import type { PutBillingAccount } from '@clarion/protocol/v1/price/tenant-billing';
import { changedTerms, currencyProblem } from '../ledger/account-terms.ts';
import { factsOf } from '../ledger/stored-account.ts';
import { findAndLockAccount } from './account-of.ts';
import type { AccountOwner } from './account-of.ts';
import { recordChange } from './record-change.ts';
import type { ChangeCtx } from './record-change.ts';

/**
 * Runs in a transaction that has locked the owner, so that its price plan cannot change meanwhile; the plan's currency cannot while the
 * owner is on it.
 *
 * @param termsOf the terms to set, from the account as it is
 * @throws 400 `currency`; what `termsOf` throws
 */
export async function setAccount(
  ctx: ChangeCtx,
  owner: AccountOwner,
  termsOf: (before: BillingAccount | null) => PutBillingAccount,
): Promise<BillingAccount> {
  const { db } = ctx;
  const { consumer, tenant } = owner;
  const before = await findAndLockAccount(db, owner);
  const input = termsOf(before);
  const { pricePlanId } = tenant ?? consumer;
  const plan = pricePlanId === null ? null : await db.pricePlan.findUnique({ where: { id: pricePlanId } });
  const problem = currencyProblem(
    input.currency,
    before && { currency: before.currency, ...factsOf(before) },
    plan,
    tenant ? 'tenant' : 'account',
  );
  if (problem !== null) throw invalidField('currency', problem);
  const terms = changedTerms(input, before);
  const account = before
    ? await db.billingAccount.update({ where: { id: before.id }, data: terms })
    : await db.billingAccount.create({ data: { ...terms, ...ownerColumns(owner) } });
  await recordChange(ctx, owner, account, 'put', {
    mode: account.mode,
    currency: account.currency,
    creditLimit: terms.creditLimit,
  });
  return account;
}

const ownerColumns = ({ consumer, tenant }: AccountOwner) =>
  tenant
    ? ({ consumerId: consumer.id, owner: 'TENANT', tenantId: tenant.id, tenantRef: tenant.ref } as const)
    : ({ consumerId: consumer.id, owner: 'CONSUMER' } as const);
