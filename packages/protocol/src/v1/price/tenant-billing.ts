/** A tenant's billing account with the consumer: prepaid or postpaid, with its transactions. */
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

export const billingModes = ['PREPAID', 'POSTPAID'] as const;
/** OUTBOUND_BLOCKED: inbound calls only. */
export const billingStatuses = ['ACTIVE', 'OUTBOUND_BLOCKED', 'SUSPENDED'] as const;
export const transactionKinds = ['TOP_UP', 'ADJUSTMENT', 'CHARGE', 'INVOICE_PAID', 'ROUNDING'] as const;

const INVOICE_DUE_DAYS = { min: 0, max: 120, default: 15 };
const LIST_LIMIT = { max: 200, default: 50 };
const MIN_TOP_UP = 0.01;
const REFERENCE_MAX_CHARS = 191;
const REASON_MAX_CHARS = 255;

export const putBillingAccountBody = z
  .object({
    mode: required(enumField(billingModes)).describe(
      'PREPAID: the tenant pays in advance with top-ups. POSTPAID: it pays later, and a negative balance is what it owes.',
    ),
    currency: orDefault(currency, DEFAULT_CURRENCY).describe(
      "Must match the currency of the tenant's price plan. You cannot change it while the account has a balance, an open invoice, or a call in progress.",
    ),
    credit_limit: orNull(amount({ min: 0 })).describe('For POSTPAID only; null: no limit.'),
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
  .object({
    amount: required(amount({ min: MIN_TOP_UP })).describe('In the currency of the account.'),
    reference: optional(text(REFERENCE_MAX_CHARS)).describe(
      'Your reference for the payment, returned as the description of the transaction.',
    ),
  })
  .transform((body) => ({ amount: body.amount, reference: body.reference ?? null }));
export type CreateTopUp = z.output<typeof topUpBody>;
export const adjustmentBody = z.object({
  amount: required(amount().refine((value) => Number(value) !== 0, { error: 'must not be 0' })).describe(
    'In the currency of the account. Negative: a debit.',
  ),
  reason: required(text(REASON_MAX_CHARS)).describe('Returned as the description of the transaction.'),
});
export type CreateAdjustment = z.output<typeof adjustmentBody>;
export const listTransactionsQuery = z.object(pageQuery(LIST_LIMIT));
export type ListTransactions = z.output<typeof listTransactionsQuery>;

export const billingAccountResource = z
  .strictObject({
    mode: z.enum(billingModes),
    status: z.enum(billingStatuses),
    currency: currencyCode,
    /** Negative: owed. */
    balance: amountText,
    /** Set aside for calls that have not ended. */
    reserved: amountText,
    /** Of a POSTPAID account; null: no limit. */
    creditLimit: amountText.nullable(),
    invoiceDueDays: z.number().int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'BillingAccount' });
export type BillingAccountResource = z.infer<typeof billingAccountResource>;
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
export type TransactionResource = z.infer<typeof transactionResource>;
export const transactionPage = z.strictObject({
  transactions: z.array(transactionResource),
  ...pageShape,
});

const account = {
  mode: 'PREPAID',
  status: 'ACTIVE',
  currency: 'USD',
  balance: '50',
  reserved: '0',
  creditLimit: null,
  invoiceDueDays: 15,
  createdAt: '2026-01-05T09:00:00.000Z',
  updatedAt: '2026-01-05T09:00:00.000Z',
};
export const lowBalance = z
  .boolean()
  .describe(
    'PREPAID: less than 10 % of the last top-up is left. POSTPAID: more than 90 % of the credit limit is owed.',
  );
const path = '/v1/tenants/{tenantRef}/billing';
const pathExample = { tenantRef: 'acme' };
const changed = z.strictObject({ balance: amountText, account: billingAccountResource });
export type ChangedBalance = z.infer<typeof changed>;
const repeats = ['idempotency_key_in_use', 'idempotency_key_reused'] as const;

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
        lowBalance,
      }),
    },
    errors: ['not_found'],
    role: 'own',
    launchedRole: 'view',
    oneTenantSession: true,
    example: { path: pathExample, answer: { tenantRef: 'acme', pricePlanId: 5, account, lowBalance: false } },
  }),
  listTransactions: defineEndpoint({
    method: 'GET',
    path: `${path}/transactions`,
    summary:
      'Lists the transactions of the billing account, newest first. Returns 404 if the tenant has no account.',
    query: listTransactionsQuery,
    answer: { status: 200, body: transactionPage },
    errors: ['not_found'],
    role: 'own',
    launchedRole: 'view',
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
  putBillingAccount: defineEndpoint({
    method: 'PUT',
    path: '/v1/tenants/{tenantRef}/billing-account',
    summary:
      "Opens or changes the billing account. Its currency must be that of the tenant's price plan, and you cannot change it while the account has a balance, an open invoice, or a call in progress (400).",
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
};
