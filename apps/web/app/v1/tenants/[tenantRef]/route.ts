import { deleteTenant } from '@clarion/core/tenant/delete-tenant';
import { getTenant } from '@clarion/core/tenant/find-tenants';
import { putTenant } from '@clarion/core/tenant/put-tenant';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const PUT = endpoint('putTenant', async (ctx, { path, body }) => ({
  tenant: await putTenant(ctx, path.tenantRef, body),
}));
export const GET = endpoint('getTenant', async (ctx, { path }) => ({
  tenant: await getTenant(ctx, path.tenantRef),
}));
export const DELETE = endpoint('deleteTenant', (ctx, { path }) => deleteTenant(ctx, path.tenantRef));
