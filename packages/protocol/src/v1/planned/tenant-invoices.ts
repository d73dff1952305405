/** The invoices of a tenant's POSTPAID billing account, issued by the consumer. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id, timestamp } from '../fields/fields.ts';
import { amountText, currencyCode } from '../fields/money.ts';
import { pageQuery, pageShape } from '../fields/paging.ts';
import { usageKinds } from '../report/usage.ts';

export const invoiceStatuses = ['DRAFT', 'OPEN', 'PAID', 'VOID'] as const;

const LIST_LIMIT = { max: 200, default: 50 };

export const invoiceResource = z.strictObject({
  id,
  /** `CL-…`, in sequence. */
  number: z.string().regex(/^CL-/),
  status: z.enum(invoiceStatuses),
  /** OPEN, and dueAt has passed. */
  overdue: z.boolean(),
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

export const tenantInvoiceEndpoints = {
  listInvoices: defineEndpoint({
    method: 'GET',
    path,
    summary: "Lists the tenant's invoices, newest first. Returns 404 if the tenant has no account.",
    query: z.object(pageQuery(LIST_LIMIT)),
    answer: { status: 200, body: z.strictObject({ invoices: z.array(invoiceResource), ...pageShape }) },
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
    summary: 'Marks an OPEN invoice as paid.',
    answer: { status: 200, body: z.strictObject({ invoice: invoiceResource }) },
    errors: ['not_found', 'not_open', 'idempotency_key_in_use', 'idempotency_key_reused'],
    role: 'own',
    oneTenantSession: false,
    example: { path: { tenantRef: 'acme', invoiceId: 61 }, answer: { invoice } },
  }),
};
