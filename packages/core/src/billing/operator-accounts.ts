/**
 * The billing accounts of consumers with the operator, who opens them and books what was paid. Audit entries are written by `recordChange`.
 * What is left of deleted tenants can be read.
 */
import { ApiError, notFound } from '@clarion/protocol';
import type { AccountBilling } from '@clarion/protocol/v1/price/account-billing';
import type { InvoicePage, InvoiceResource, ListInvoices } from '@clarion/protocol/v1/price/invoices';
import type {
  BillingAccountResource,
  ChangedBalance,
  CreateAdjustment,
  CreateTopUp,
  ListTransactions,
  PutBillingAccount,
} from '@clarion/protocol/v1/price/tenant-billing';
import { consumerOf, lockConsumer } from '../consumer/operator.ts';
import type { OperatorCtx } from '../consumer/operator.ts';
import { inTransaction } from '../context.ts';
import { accountOf, findAccount, noAccount } from './account-of.ts';
import type { AccountOwner } from './account-of.ts';
import { adjust, topUp } from './change-balance.ts';
import { deletedTenantAccount } from './deleted-tenants.ts';
import { transactionsOf } from './list-transactions.ts';
import type { TransactionPage } from './list-transactions.ts';
import { invoicesOf } from './list-invoices.ts';
import { payAndRecord } from './mark-invoice-paid.ts';
import { billingOf } from './own-account.ts';
import { presentAccount } from './present.ts';
import { SET_ACCOUNT_LIMITS, setAccount } from './set-account.ts';

/** @throws 404 */
export async function getAccountBilling(ctx: OperatorCtx, slug: string): Promise<AccountBilling> {
  return billingOf(ctx.db, await consumerOf(ctx, slug));
}

/** @throws 404; 409 exists; 400 `currency` */
export async function openAccount(
  ctx: OperatorCtx,
  slug: string,
  input: PutBillingAccount,
): Promise<BillingAccountResource> {
  return change(ctx, slug, async (inner, owner) => {
    if (await findAccount(inner.db, owner)) {
      const message = `The account ${slug} already has a billing account: change it with \`billing set\`.`;
      throw new ApiError('exists', { message });
    }
    return presentAccount(await setAccount(inner, owner, () => input));
  });
}

/**
 * @param termsOf all terms, from those that the account has: a concurrent change is not undone
 * @throws 404; 400 `currency`; what `termsOf` throws
 */
export async function changeAccount(
  ctx: OperatorCtx,
  slug: string,
  termsOf: (before: BillingAccountResource) => PutBillingAccount,
): Promise<BillingAccountResource> {
  return change(ctx, slug, async (inner, owner) => {
    const account = await setAccount(inner, owner, (before) => {
      if (before === null) throw noAccount(owner);
      return termsOf(presentAccount(before));
    });
    return presentAccount(account);
  });
}

/** @throws 404; 409 not_prepaid */
export async function topUpAccount(
  ctx: OperatorCtx,
  slug: string,
  input: CreateTopUp,
): Promise<ChangedBalance> {
  return change(ctx, slug, (inner, owner) => topUp(inner, owner, input));
}

/** May take any account below zero. @throws 404 */
export async function adjustAccount(
  ctx: OperatorCtx,
  slug: string,
  input: CreateAdjustment,
): Promise<ChangedBalance> {
  return change(ctx, slug, (inner, owner) => adjust(inner, owner, input));
}

/** @throws 404 */
export async function listAccountTransactions(
  ctx: OperatorCtx,
  which: WhichAccount,
  query: ListTransactions,
): Promise<TransactionPage> {
  return transactionsOf(ctx.db, await accountIdOf(ctx, which), query);
}

/** @throws 404 */
export async function listAccountInvoices(
  ctx: OperatorCtx,
  which: WhichAccount,
  query: ListInvoices,
): Promise<InvoicePage> {
  return invoicesOf(ctx, await accountIdOf(ctx, which), query);
}

/** The consumer's own account, or with an ID that of a deleted tenant. */
export interface WhichAccount {
  slug: string;
  account?: number;
}

async function accountIdOf(ctx: OperatorCtx, { slug, account }: WhichAccount): Promise<number> {
  const consumer = await consumerOf(ctx, slug);
  const { id } =
    account === undefined
      ? await accountOf(ctx.db, { consumer, tenant: null })
      : await deletedTenantAccount(ctx.db, consumer, account);
  return id;
}

/** @param number of the invoice; @throws 404; 409 not_open */
export async function payAccountInvoice(
  ctx: OperatorCtx,
  slug: string,
  number: string,
): Promise<InvoiceResource> {
  return change(ctx, slug, async (inner, owner) => {
    const { id } = await accountOf(inner.db, owner);
    const found = await inner.db.invoice.findFirst({ where: { accountId: id, number } });
    if (!found) throw notFound(`The invoice ${number}`);
    return payAndRecord(inner, owner, found.id);
  });
}

const change = <T>(
  ctx: OperatorCtx,
  slug: string,
  work: (inner: OperatorCtx, owner: AccountOwner) => Promise<T>,
): Promise<T> =>
  inTransaction(
    ctx,
    async (inner) => work(inner, { consumer: await lockConsumer(inner, slug), tenant: null }),
    SET_ACCOUNT_LIMITS,
  );
