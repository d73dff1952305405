import { listTransactions } from '@clarion/core/billing/list-transactions';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listTransactions', (ctx, { path, query }) =>
  listTransactions(ctx, path.tenantRef, query),
);
