/** Invoices of POSTPAID billing accounts: those of tenants, issued by the consumer, and the consumer's own, issued by the operator. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id, timestamp } from '../fields/fields.ts';
import { amountText, currencyCode } from '../fields/money.ts';
import { pageQuery, pageShape } from '../fields/paging.ts';
import { usageKinds } from '../report/usage.ts';
import { CSV } from './rate-export.ts';

export const invoiceStatuses = ['DRAFT', 'OPEN', 'PAID', 'VOID'] as const;
/** OTHER: charges whose usage is not known any more. */
export const invoiceLineKinds = [...usageKinds, 'ADJUSTMENT', 'OTHER'] as const;
export type InvoiceLineKind = (typeof invoiceLineKinds)[number];
export const PDF = 'application/pdf';

const LIST_LIMIT = { max: 200, default: 50 };

export const invoiceResource = z
  .strictObject({
    id,
    /** In sequence: `CL-000001` of a tenant, `OP-000001` of the account itself. */
    number: z.string().regex(/^(CL|OP)-\d{6,}$/),
    status: z.enum(invoiceStatuses),
    /** OPEN, and dueAt has passed. */
    overdue: z.boolean(),
    currency: currencyCode,
    periodFrom: timestamp,
    periodTo: timestamp,
    /** The sum of the lines, rounded to the minor unit of the currency. */
    total: amountText,
    lines: z.array(
      z.strictObject({
        kind: z.enum(invoiceLineKinds),
        description: z.string(),
        /** Billed minutes of calls, minutes of recordings, days of a monthly fee; the monthly average of agents, numbers and gigabytes; otherwise how many there are. */
        quantity: amountText,
        /** Negative: a credit. */
        amount: amountText,
      }),
    ),
    issuedAt: timestamp.nullable(),
    dueAt: timestamp.nullable(),
    paidAt: timestamp.nullable(),
  })
  .meta({ id: 'Invoice' });
export type InvoiceResource = z.infer<typeof invoiceResource>;

export const listInvoicesQuery = z.object(pageQuery(LIST_LIMIT));
export type ListInvoices = z.output<typeof listInvoicesQuery>;
const invoicePage = z.strictObject({ invoices: z.array(invoiceResource), ...pageShape });
export type InvoicePage = z.infer<typeof invoicePage>;

const invoice = {
  id: 61,
  number: 'CL-000061',
  status: 'PAID',
  overdue: false,
  currency: 'USD',
  periodFrom: '2025-12-01T00:00:00.000Z',
  periodTo: '2026-01-01T00:00:00.000Z',
  total: '128.4',
  lines: [{ kind: 'CALL', description: 'Outbound calls', quantity: '1070', amount: '128.4' }],
  issuedAt: '2026-01-01T00:10:00.000Z',
  dueAt: '2026-01-16T00:10:00.000Z',
  paidAt: '2026-01-09T14:02:11.000Z',
};
const path = '/v1/tenants/{tenantRef}/billing/invoices';
const ownPath = '/v1/billing/invoices';
const ofInvoice = { tenantRef: 'acme', invoiceId: 61 };
const csvOf = (number: string) =>
  [
    'Invoice,Period From,Period To,Description,Quantity,Amount,Currency',
    `${number},2025-12-01,2026-01-01,Outbound calls,1070,128.4,USD`,
    `${number},2025-12-01,2026-01-01,Total,,128.40,USD`,
    '',
  ].join('\r\n');

export const invoiceEndpoints = {
  listInvoices: defineEndpoint({
    method: 'GET',
    path,
    summary: "Lists the tenant's invoices, newest first. Returns 404 if the tenant has no account.",
    query: listInvoicesQuery,
    answer: { status: 200, body: invoicePage },
    errors: ['not_found'],
    role: 'own',
    launchedRole: 'view',
    oneTenantSession: true,
    example: {
      path: { tenantRef: 'acme' },
      query: 'page=1&limit=50',
      answer: { invoices: [invoice], page: 1, limit: 50, total: 1 },
    },
  }),
  markInvoicePaid: defineEndpoint({
    method: 'POST',
    path: `${path}/{invoiceId}/mark-paid`,
    summary:
      'Marks an OPEN invoice as paid and adds its total to the balance. When the last overdue invoice is paid, the account is ACTIVE again.',
    answer: { status: 200, body: z.strictObject({ invoice: invoiceResource }) },
    errors: ['not_found', 'not_open', 'idempotency_key_in_use', 'idempotency_key_reused'],
    role: 'own',
    oneTenantSession: false,
    example: { path: ofInvoice, answer: { invoice } },
  }),
  getInvoicePdf: defineEndpoint({
    method: 'GET',
    path: `${path}/{invoiceId}/pdf`,
    summary: 'Downloads an invoice as a PDF file.',
    answer: { status: 200, file: [PDF] },
    errors: ['not_found'],
    role: 'own',
    launchedRole: 'view',
    oneTenantSession: true,
    example: { path: ofInvoice },
  }),
  getInvoiceCsv: defineEndpoint({
    method: 'GET',
    path: `${path}/{invoiceId}/csv`,
    summary: 'Downloads the lines and the total of an invoice as a CSV file.',
    answer: { status: 200, file: [CSV] },
    errors: ['not_found'],
    role: 'own',
    launchedRole: 'view',
    oneTenantSession: true,
    example: { path: ofInvoice, answer: csvOf('CL-000061') },
  }),
  listBillingInvoices: defineEndpoint({
    method: 'GET',
    path: ownPath,
    summary:
      'Lists the invoices that the operator has issued to your account, newest first. Returns 404 if your account has no billing account.',
    query: listInvoicesQuery,
    answer: { status: 200, body: invoicePage },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: false,
    example: {
      query: 'page=1&limit=50',
      answer: { invoices: [{ ...invoice, number: 'OP-000061' }], page: 1, limit: 50, total: 1 },
    },
  }),
  getBillingInvoicePdf: defineEndpoint({
    method: 'GET',
    path: `${ownPath}/{invoiceId}/pdf`,
    summary: 'Downloads an invoice that the operator has issued to your account as a PDF file.',
    answer: { status: 200, file: [PDF] },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: false,
    example: { path: { invoiceId: 61 } },
  }),
  getBillingInvoiceCsv: defineEndpoint({
    method: 'GET',
    path: `${ownPath}/{invoiceId}/csv`,
    summary:
      'Downloads the lines and the total of an invoice that the operator has issued to your account as a CSV file.',
    answer: { status: 200, file: [CSV] },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: false,
    example: { path: { invoiceId: 61 }, answer: csvOf('OP-000061') },
  }),
};
