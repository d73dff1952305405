/** Opens or changes a billing account, whoever owns it. */
import { invalidField } from '@clarion/protocol';
import type { BillingAccount } from '@clarion/db';
import type { PutBillingAccount } from '@clarion/protocol/v1/price/tenant-billing';
import type { Ctx } from '../context.ts';
import { changedTerms, currencyProblem, leavesPostpaid } from '../ledger/account-terms.ts';
import { factsOf } from '../ledger/stored-account.ts';
import { findAccount, lockAccount } from './account-of.ts';
import type { AccountOwner } from './account-of.ts';
import { lockCycle } from './billing-cycle.ts';
import { issueLastInvoice } from './last-invoice.ts';
import { recordChange } from './record-change.ts';
import type { ChangeCtx } from './record-change.ts';

/** Of the transaction: a last invoice may have a million charges. */
export const SET_ACCOUNT_LIMITS = { timeout: 2 * 60_000 };

/**
 * Runs in a transaction that has locked the owner, so that its price plan cannot change meanwhile; the plan's currency cannot while the
 * owner is on it.
 *
 * @param termsOf the terms to set, from the account as it is
 * @throws 400 `currency`; what `termsOf` throws
 */
export async function setAccount(
  ctx: ChangeCtx & Pick<Ctx, 'settings'>,
  owner: AccountOwner,
  termsOf: (before: BillingAccount | null) => PutBillingAccount,
): Promise<BillingAccount> {
  const { db } = ctx;
  const { consumer, tenant } = owner;
  const opened = await findAccount(db, owner);
  // Its invoices are made in this order, too: first the cycle is locked, then the account.
  const cycle = opened && (await lockCycle(db, ctx.settings.operatorName, opened.id));
  const before = opened && (await lockAccount(db, opened.id));
  const input = termsOf(before);
  const { pricePlanId } = tenant ?? consumer;
  const plan = pricePlanId === null ? null : await db.pricePlan.findUnique({ where: { id: pricePlanId } });
  const problem = currencyProblem(
    input.currency,
    before && {
      currency: before.currency,
      ...factsOf(before),
      hasOpenInvoice: (await db.invoice.count({ where: { accountId: before.id, status: 'OPEN' } })) > 0,
    },
    plan,
    tenant ? 'tenant' : 'account',
  );
  if (problem !== null) throw invalidField('currency', problem);
  const terms = changedTerms(input, before);
  if (cycle && leavesPostpaid(terms, cycle)) await issueLastInvoice(ctx, cycle);
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
