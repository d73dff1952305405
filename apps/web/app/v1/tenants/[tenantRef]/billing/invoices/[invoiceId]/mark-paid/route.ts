import { markInvoicePaid } from '@clarion/core/billing/mark-invoice-paid';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = endpoint('markInvoicePaid', async (ctx, { path }) => ({
  invoice: await markInvoicePaid(ctx, path.tenantRef, path.invoiceId),
}));
