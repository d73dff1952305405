import { listInvoices } from '@clarion/core/billing/list-invoices';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listInvoices', (ctx, { path, query }) =>
  listInvoices(ctx, path.tenantRef, query),
);
