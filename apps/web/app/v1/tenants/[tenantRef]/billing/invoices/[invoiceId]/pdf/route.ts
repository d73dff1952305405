import { getInvoicePdf } from '@clarion/core/billing/invoice-files';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getInvoicePdf', (ctx, { path }) =>
  getInvoicePdf(ctx, path.tenantRef, path.invoiceId),
);
