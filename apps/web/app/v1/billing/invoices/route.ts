import { listOwnInvoices } from '@clarion/core/billing/list-invoices';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listOwnInvoices', (ctx, { query }) => listOwnInvoices(ctx, query));
