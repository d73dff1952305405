import { listTenants } from '@clarion/core/tenant/find-tenants';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listTenants', async (ctx, { query }) => ({
  tenants: await listTenants(ctx, query),
}));
