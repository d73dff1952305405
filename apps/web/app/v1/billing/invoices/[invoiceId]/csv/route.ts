import { getBillingInvoiceCsv } from '@clarion/core/billing/invoice-files';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getBillingInvoiceCsv', (ctx, { path }) =>
  getBillingInvoiceCsv(ctx, path.invoiceId),
);
