/** Rows of billing accounts and transactions → resources. */
import type { BillingAccount, BillingTransaction } from '@clarion/db';
import type { BillingAccountResource, TransactionResource } from '@clarion/protocol/v1/price/tenant-billing';

export const presentAccount = (account: BillingAccount): BillingAccountResource => ({
  mode: account.mode,
  status: account.status,
  currency: account.currency,
  balance: account.balance.toFixed(),
  reserved: account.reserved.toFixed(),
  creditLimit: account.creditLimit?.toFixed() ?? null,
  invoiceDueDays: account.invoiceDueDays,
  createdAt: account.createdAt.toISOString(),
  updatedAt: account.updatedAt.toISOString(),
});

export const presentTransaction = (transaction: BillingTransaction): TransactionResource => ({
  id: transaction.id,
  kind: transaction.kind,
  amount: transaction.amount.toFixed(),
  balanceAfter: transaction.balanceAfter.toFixed(),
  description: transaction.description,
  callId: transaction.callId,
  invoiceId: transaction.invoiceId,
  createdAt: transaction.createdAt.toISOString(),
});
