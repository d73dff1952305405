import { listNumbers } from '@clarion/core/number/list-numbers';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listNumbers', async (ctx, { query }) => ({
  numbers: await listNumbers(ctx, query),
}));
