/** A tenant's billing account with the consumer: prepaid or postpaid, with transactions and invoices. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import {
  id,
  integer,
  optional,
  orDefault,
  orNull,
  required,
  text,
  timestamp,
  enumField,
} from '../fields/fields.ts';
import { amount, amountText, currency, currencyCode, DEFAULT_CURRENCY } from '../fields/money.ts';
import { pageQuery, pageShape } from '../fields/paging.ts';
import { usageKinds } from '../report/usage.ts';

export const billingModes = ['PREPAID', 'POSTPAID'] as const;
/** OUTBOUND_BLOCKED: inbound calls only. */
export const billingStatuses = ['ACTIVE', 'OUTBOUND_BLOCKED', 'SUSPENDED'] as const;
export const transactionKinds = ['TOP_UP', 'ADJUSTMENT', 'CHARGE', 'INVOICE_PAID'] as const;
export const invoiceStatuses = ['DRAFT', 'OPEN', 'OVERDUE', 'PAID', 'VOID'] as const;

const INVOICE_DUE_DAYS = { min: 0, max: 120, default: 15 };
const LIST_LIMIT = { max: 200, default: 50 };
const MIN_TOP_UP = 0.01;
const REFERENCE_MAX_CHARS = 191;
const REASON_MAX_CHARS = 255;

export const putBillingAccountBody = z
  .object({
    mode: required(enumField(billingModes)),
    currency: orDefault(currency, DEFAULT_CURRENCY),
    /** Null: no limit. */
    credit_limit: orNull(amount({ min: 0 })),
    invoice_due_days: orDefault(
      integer(INVOICE_DUE_DAYS.min, INVOICE_DUE_DAYS.max),
      INVOICE_DUE_DAYS.default,
    ),
  })
  .refine(({ mode, credit_limit }) => mode === 'POSTPAID' || credit_limit === null, {
    path: ['credit_limit'],
    error: 'is allowed only if mode is POSTPAID',
  })
  .transform((body) => ({
    mode: body.mode,
    currency: body.currency,
    creditLimit: body.credit_limit,
    invoiceDueDays: body.invoice_due_days,
  }));
export type PutBillingAccount = z.output<typeof putBillingAccountBody>;

export const topUpBody = z
  .object({ amount: required(amount({ min: MIN_TOP_UP })), reference: optional(text(REFERENCE_MAX_CHARS)) })
  .transform((body) => ({ amount: body.amount, reference: body.reference ?? null }));
export const adjustmentBody = z.object({
  /** Negative: a debit. */
  amount: required(amount().refine((value) => Number(value) !== 0, { error: 'must not be 0' })),
  reason: required(text(REASON_MAX_CHARS)),
});
const listQuery = z.object(pageQuery(LIST_LIMIT));

export const billingAccountResource = z
  .strictObject({
    mode: z.enum(billingModes),
    status: z.enum(billingStatuses),
    currency: currencyCode,
    /** Negative if a POSTPAID account owes money. */
    balance: amountText,
    /** Of a POSTPAID account; null: no limit. */
    creditLimit: amountText.nullable(),
    invoiceDueDays: z.number().int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'BillingAccount' });
export const transactionResource = z
  .strictObject({
    id,
    kind: z.enum(transactionKinds),
    /** Negative: a debit. */
    amount: amountText,
    balanceAfter: amountText,
    /** The reference of a top-up, the reason for an adjustment, or what was charged. */
    description: z.string().nullable(),
    callId: id.nullable(),
    invoiceId: id.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'BillingTransaction' });
export const invoiceResource = z.strictObject({
  id,
  /** `CL-…`, in sequence. */
  number: z.string().regex(/^CL-/),
  status: z.enum(invoiceStatuses),
  currency: currencyCode,
  periodFrom: timestamp,
  periodTo: timestamp,
  total: amountText,
  lines: z.array(
    z.strictObject({
      kind: z.enum(usageKinds),
      description: z.string(),
      /** Minutes for calls; otherwise the number of days, seats or numbers. */
      quantity: amountText,
      amount: amountText,
    }),
  ),
  issuedAt: timestamp.nullable(),
  dueAt: timestamp.nullable(),
  paidAt: timestamp.nullable(),
});

const account = {
  mode: 'PREPAID',
  status: 'ACTIVE',
  currency: 'USD',
  balance: '50',
  creditLimit: null,
  invoiceDueDays: 15,
  createdAt: '2026-01-05T09:00:00.000Z',
  updatedAt: '2026-01-05T09:00:00.000Z',
};
const invoice = {
  id: 61,
  number: 'CL-000061',
  status: 'PAID',
  currency: 'USD',
  periodFrom: '2025-12-01T00:00:00.000Z',
  periodTo: '2026-01-01T00:00:00.000Z',
  total: '128.4',
  lines: [{ kind: 'CALL', description: 'Outbound calls', quantity: '1070', amount: '128.4' }],
  issuedAt: '2026-01-01T00:10:00.000Z',
  dueAt: '2026-01-16T00:10:00.000Z',
  paidAt: '2026-01-09T14:02:11.000Z',
};
const path = '/v1/tenants/{tenantRef}/billing';
const pathExample = { tenantRef: 'acme' };
const changed = z.strictObject({ balance: amountText, account: billingAccountResource });
const repeats = ['idempotency_key_in_use', 'idempotency_key_reused'] as const;

/** A session launched for one tenant may read its billing with any role, but not change it (docs/requirements.md#prices). */
export const tenantBillingEndpoints = {
  getTenantBilling: defineEndpoint({
    method: 'GET',
    path,
    summary: "Returns a tenant's price plan and billing account. account is null until one is opened.",
    answer: {
      status: 200,
      body: z.strictObject({
        tenantRef: z.string(),
        pricePlanId: id.nullable(),
        account: billingAccountResource.nullable(),
      }),
    },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: true,
    example: { path: pathExample, answer: { tenantRef: 'acme', pricePlanId: 5, account } },
  }),
  listTransactions: defineEndpoint({
    method: 'GET',
    path: `${path}/transactions`,
    summary:
      'Lists the transactions of the billing account, newest first. Returns 404 if the tenant has no account.',
    query: listQuery,
    answer: {
      status: 200,
      body: z.strictObject({ transactions: z.array(transactionResource), ...pageShape }),
    },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: true,
    example: {
      path: pathExample,
      query: 'page=1&limit=50',
      answer: {
        transactions: [
          {
            id: 801,
            kind: 'TOP_UP',
            amount: '50',
            balanceAfter: '50',
            description: 'card payment 7712',
            callId: null,
            invoiceId: null,
            createdAt: '2026-01-05T09:01:00.000Z',
          },
        ],
        page: 1,
        limit: 50,
        total: 1,
      },
    },
  }),
  listInvoices: defineEndpoint({
    method: 'GET',
    path: `${path}/invoices`,
    summary: "Lists the tenant's invoices, newest first. Returns 404 if the tenant has no account.",
    query: listQuery,
    answer: { status: 200, body: z.strictObject({ invoices: z.array(invoiceResource), ...pageShape }) },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: true,
    example: {
      path: pathExample,
      query: 'page=1&limit=50',
      answer: { invoices: [invoice], page: 1, limit: 50, total: 1 },
    },
  }),
  putBillingAccount: defineEndpoint({
    method: 'PUT',
    path: '/v1/tenants/{tenantRef}/billing-account',
    summary:
      'Opens or changes the billing account. The currency of an account with a balance cannot be changed (400).',
    body: putBillingAccountBody,
    answer: { status: 200, body: z.strictObject({ account: billingAccountResource }) },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: false,
    example: {
      path: pathExample,
      body: { mode: 'PREPAID', currency: 'USD' },
      answer: { account: { ...account, balance: '0' } },
    },
  }),
  createTopUp: defineEndpoint({
    method: 'POST',
    path: `${path}/top-ups`,
    summary:
      'Adds funds to a PREPAID account. Send an Idempotency-Key so that a retry never adds them twice.',
    body: topUpBody,
    answer: { status: 201, body: changed },
    errors: ['not_found', 'not_prepaid', ...repeats],
    role: 'own',
    oneTenantSession: false,
    example: {
      path: pathExample,
      body: { amount: '50.00', reference: 'card payment 7712' },
      answer: { balance: '50', account },
    },
  }),
  createAdjustment: defineEndpoint({
    method: 'POST',
    path: `${path}/adjustments`,
    summary:
      'Adjusts the balance manually. A negative amount is a debit. Send an Idempotency-Key so that a retry never applies it twice.',
    body: adjustmentBody,
    answer: { status: 201, body: changed },
    errors: ['not_found', ...repeats],
    role: 'own',
    oneTenantSession: false,
    example: {
      path: pathExample,
      body: { amount: '-2.50', reason: 'undercharged for call 4711' },
      answer: { balance: '47.5', account: { ...account, balance: '47.5' } },
    },
  }),
  markInvoicePaid: defineEndpoint({
    method: 'POST',
    path: `${path}/invoices/{invoiceId}/mark-paid`,
    summary: 'Marks an OPEN invoice as paid.',
    answer: { status: 200, body: z.strictObject({ invoice: invoiceResource }) },
    errors: ['not_found', 'not_open', ...repeats],
    role: 'own',
    oneTenantSession: false,
    example: { path: { tenantRef: 'acme', invoiceId: 61 }, answer: { invoice } },
  }),
};
