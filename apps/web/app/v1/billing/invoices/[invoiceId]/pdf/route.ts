import { getBillingInvoicePdf } from '@clarion/core/billing/invoice-files';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getBillingInvoicePdf', (ctx, { path }) =>
  getBillingInvoicePdf(ctx, path.invoiceId),
);
