import { putTenantPricePlan } from '@clarion/core/tenant/put-tenant-price-plan';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const PUT = endpoint('putTenantPricePlan', (ctx, { path, body }) =>
  putTenantPricePlan(ctx, path.tenantRef, body),
);
