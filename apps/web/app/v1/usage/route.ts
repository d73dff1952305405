import { listUsage } from '@clarion/core/usage/list-usage';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listUsage', (ctx, { query }) => listUsage(ctx, query));
