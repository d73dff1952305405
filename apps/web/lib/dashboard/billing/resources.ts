/** The billing of a tenant, as `/v1` returns it. */
import type { Answer } from '../request.ts';

export const BILLING_PATH = '/v1/tenants/{tenantRef}/billing';
export const TRANSACTIONS_PATH = `${BILLING_PATH}/transactions` as const;
export const INVOICES_PATH = `${BILLING_PATH}/invoices` as const;
export const MARK_PAID_PATH = `${INVOICES_PATH}/{invoiceId}/mark-paid` as const;
/** What a change of the account or its balance changes. */
export const BILLING_PATHS = [BILLING_PATH, TRANSACTIONS_PATH, INVOICES_PATH] as const;

export type TenantBilling = Answer<'GET', typeof BILLING_PATH>;
export type BillingAccount = NonNullable<TenantBilling['account']>;
export type Invoice = Answer<'GET', typeof INVOICES_PATH>['invoices'][number];
export type Transaction = Answer<'GET', typeof TRANSACTIONS_PATH>['transactions'][number];
