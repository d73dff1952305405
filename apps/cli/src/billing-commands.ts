/** Commands about what an account pays you: its billing account, and what it has paid. */
import { Option } from 'commander';
import type { Command } from 'commander';
import { listDeletedTenantAccounts } from '@clarion/core/billing/deleted-tenants';
import type { DeletedTenantAccount } from '@clarion/core/billing/deleted-tenants';
import {
  adjustAccount,
  changeAccount,
  getAccountBilling,
  listAccountInvoices,
  listAccountTransactions,
  openAccount,
  payAccountInvoice,
  topUpAccount,
} from '@clarion/core/billing/operator-accounts';
import type { WhichAccount } from '@clarion/core/billing/operator-accounts';
import type { TransactionPage } from '@clarion/core/billing/list-transactions';
import { listInvoicesQuery } from '@clarion/protocol/v1/price/invoices';
import type { InvoicePage } from '@clarion/protocol/v1/price/invoices';
import {
  adjustmentBody,
  billingModes,
  listTransactionsQuery,
  putBillingAccountBody,
  topUpBody,
} from '@clarion/protocol/v1/price/tenant-billing';
import type { BillingAccountResource } from '@clarion/protocol/v1/price/tenant-billing';
import { parsed, slug, wholeNumber, withoutUndefined } from './options.ts';
import type { Add } from './options.ts';

interface Owned {
  slug: string;
}
interface TermOptions {
  mode?: BillingAccountResource['mode'];
  currency?: string;
  creditLimit?: string;
  invoiceDueDays?: number;
}

const NONE = 'none';

const mode = () =>
  new Option('--mode <mode>', 'PREPAID: pays in advance. POSTPAID: pays for its usage later').choices(
    billingModes,
  );
const terms = [
  new Option('--credit-limit <amount>', 'the most that a POSTPAID account may owe, or none'),
  new Option(
    '--invoice-due-days <n>',
    'days until an invoice is due, 0 to 120; 15 for a new account by default',
  ).argParser(wholeNumber),
];
const amount = (description: string) => new Option('--amount <amount>', description).makeOptionMandatory();

export function addBillingCommands(program: Command, add: Add): void {
  const billing = program.command('billing').description('Billing accounts: what accounts owe you.');
  add<Owned>(
    billing,
    'show',
    'show the price plan and the billing account; a negative balance is owed to you',
    [slug],
    (ctx, { slug: chosen }) => getAccountBilling(ctx, chosen),
  );
  addTermCommands(billing, add);
  add<Owned & { amount: string; reference?: string }>(
    billing,
    'top-up',
    'add a payment to a PREPAID account; a repeated command adds it again',
    [
      slug,
      amount('at least 0.01, in the currency of the account'),
      new Option('--reference <text>', 'reference of the payment, which the account can read'),
    ],
    (ctx, { slug: chosen, ...body }) => topUpAccount(ctx, chosen, parsed(topUpBody, body)),
  );
  add<Owned & { amount: string; reason: string }>(
    billing,
    'adjust',
    'correct the balance; a repeated command corrects it again',
    [
      slug,
      amount('in the currency of the account; negative: a debit, which may take the balance below zero'),
      new Option('--reason <text>', 'reason, which the account can read').makeOptionMandatory(),
    ],
    (ctx, { slug: chosen, ...body }) => adjustAccount(ctx, chosen, parsed(adjustmentBody, body)),
  );
  add<WhichAccount & PageOptions, TransactionPage>(
    billing,
    'transactions',
    'list the transactions, newest first',
    [slug, deletedTenant, ...pageOptions('transactions')],
    (ctx, options) => listAccountTransactions(ctx, options, parsed(listTransactionsQuery, pageOf(options))),
    readablePage,
  );
  addInvoiceCommands(billing, add);
}

function addInvoiceCommands(billing: Command, add: Add): void {
  add<WhichAccount & PageOptions, InvoicePage>(
    billing,
    'invoices',
    'list the invoices of a POSTPAID account, newest first; --json shows their lines',
    [slug, deletedTenant, ...pageOptions('invoices')],
    (ctx, options) => listAccountInvoices(ctx, options, parsed(listInvoicesQuery, pageOf(options))),
    readableInvoices,
  );
  add<Owned, DeletedTenantAccount[]>(
    billing,
    'deleted-tenants',
    'list the billing accounts that deleted tenants had with the account, newest first',
    [slug],
    (ctx, { slug: chosen }) => listDeletedTenantAccounts(ctx, chosen),
    readableDeletedTenants,
  );
  add<Owned & { number: string }>(
    billing,
    'mark-paid',
    'mark an OPEN invoice as paid; the last overdue one makes the account ACTIVE again',
    [slug, new Option('--number <number>', 'such as OP-000017').makeOptionMandatory()],
    (ctx, { slug: chosen, number }) => payAccountInvoice(ctx, chosen, number),
  );
}

const deletedTenant = new Option(
  '--account <id>',
  'the account of a deleted tenant, as listed by deleted-tenants, instead of the own one',
).argParser(wholeNumber);

interface PageOptions {
  page?: number;
  limit?: number;
}
const pageOptions = (what: string) => [
  new Option('--page <n>', 'page, 1 by default').argParser(wholeNumber),
  new Option('--limit <n>', `${what} per page, 50 by default and at most 200`).argParser(wholeNumber),
];

const pageOf = ({ page, limit }: PageOptions) => ({
  ...(page !== undefined && { page: String(page) }),
  ...(limit !== undefined && { limit: String(limit) }),
});

function addTermCommands(billing: Command, add: Add): void {
  add<Owned & TermOptions>(
    billing,
    'open',
    'open the billing account, in the currency of the price plan that the account pays',
    [
      slug,
      mode().makeOptionMandatory(),
      new Option('--currency <code>', 'ISO 4217').makeOptionMandatory(),
      ...terms,
    ],
    (ctx, { slug: chosen, ...options }) =>
      openAccount(ctx, chosen, parsed(putBillingAccountBody, bodyOf(options))),
  );
  add<Owned & TermOptions>(
    billing,
    'set',
    'change the billing account; options that are not given stay as they are, except that PREPAID has no credit limit',
    [slug, mode(), new Option('--currency <code>', 'ISO 4217; only while the balance is 0'), ...terms],
    (ctx, { slug: chosen, ...options }) =>
      changeAccount(ctx, chosen, (before) =>
        parsed(putBillingAccountBody, { ...sentOf(before, options.mode ?? before.mode), ...bodyOf(options) }),
      ),
  );
}

/** The fields that were given, as in a request to the API. */
const bodyOf = ({ mode: chosen, currency, creditLimit, invoiceDueDays }: TermOptions) =>
  withoutUndefined({
    mode: chosen,
    currency,
    credit_limit: creditLimit === NONE ? null : creditLimit,
    invoice_due_days: invoiceDueDays,
  });

/** An account as a request that changes only its mode. */
const sentOf = (before: BillingAccountResource, newMode: BillingAccountResource['mode']) => ({
  mode: newMode,
  currency: before.currency,
  credit_limit: newMode === 'PREPAID' ? null : before.creditLimit,
  invoice_due_days: before.invoiceDueDays,
});

/** One transaction per line, with the balance after it. */
function readablePage({ transactions, page, limit, total }: TransactionPage): string {
  if (total === 0) return '(none)';
  const lines = transactions.map(({ createdAt, kind, amount: change, balanceAfter, description }) =>
    [createdAt, kind, change, `balance ${balanceAfter}`, description ?? '-'].join('  '),
  );
  return [...lines, pageLine({ page, limit, total })].join('\n');
}

/** One invoice per line. */
function readableInvoices({ invoices, page, limit, total }: InvoicePage): string {
  if (total === 0) return '(none)';
  const lines = invoices.map(({ number, periodFrom, status, overdue, total: sum, currency, dueAt }) =>
    [
      number,
      periodFrom.slice(0, 7),
      overdue ? 'OVERDUE' : status,
      `${sum} ${currency}`,
      `due ${dueAt ?? '-'}`,
    ].join('  '),
  );
  return [...lines, pageLine({ page, limit, total })].join('\n');
}

/** One account per line. */
const readableDeletedTenants = (accounts: DeletedTenantAccount[]): string =>
  accounts.length === 0
    ? '(none)'
    : accounts
        .map(({ id, tenantRef, mode: chosen, balance, currency, openInvoices }) =>
          [
            id,
            tenantRef ?? '-',
            chosen,
            `balance ${balance} ${currency}`,
            `open invoices ${openInvoices}`,
          ].join('  '),
        )
        .join('\n');

const pageLine = ({ page, limit, total }: { page: number; limit: number; total: number }): string =>
  `page ${page} of ${Math.ceil(total / limit)}, ${total} in total`;
