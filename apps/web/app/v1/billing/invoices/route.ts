import { listBillingInvoices } from '@clarion/core/billing/list-invoices';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listBillingInvoices', (ctx, { query }) => listBillingInvoices(ctx, query));
