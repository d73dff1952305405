/** The billing of a tenant and of the account itself, as `/v1` returns it. */
import type { Answer } from '../request.ts';

export const BILLING_PATH = '/v1/tenants/{tenantRef}/billing';
export const TRANSACTIONS_PATH = `${BILLING_PATH}/transactions` as const;
export const INVOICES_PATH = `${BILLING_PATH}/invoices` as const;
export const MARK_PAID_PATH = `${INVOICES_PATH}/{invoiceId}/mark-paid` as const;
/** What a change of the account or its balance changes. */
export const BILLING_PATHS = [BILLING_PATH, TRANSACTIONS_PATH, INVOICES_PATH] as const;

/** Balance and reserved amount change while calls run. */
export const BALANCE_POLL_MS = 5_000;

/** Of the account itself. */
export const OWN_BILLING_PATH = '/v1/billing';
export const OWN_INVOICES_PATH = '/v1/billing/invoices';
export const OWN_TRANSACTIONS_PATH = `${OWN_BILLING_PATH}/transactions` as const;

export type TenantBilling = Answer<'GET', typeof BILLING_PATH>;
export type BillingAccount = NonNullable<TenantBilling['account']>;
export type InvoicePage = Answer<'GET', typeof INVOICES_PATH>;
export type Invoice = InvoicePage['invoices'][number];
export type OwnBilling = Answer<'GET', typeof OWN_BILLING_PATH>;
export type TransactionPage = Answer<'GET', typeof TRANSACTIONS_PATH>;
export type Transaction = TransactionPage['transactions'][number];
