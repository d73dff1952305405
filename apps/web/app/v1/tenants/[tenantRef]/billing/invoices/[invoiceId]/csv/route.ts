import { getInvoiceCsv } from '@clarion/core/billing/invoice-files';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getInvoiceCsv', (ctx, { path }) =>
  getInvoiceCsv(ctx, path.tenantRef, path.invoiceId),
);
