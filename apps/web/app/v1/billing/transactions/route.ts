import { listBillingTransactions } from '@clarion/core/billing/own-account';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listBillingTransactions', (ctx, { query }) =>
  listBillingTransactions(ctx, query),
);
