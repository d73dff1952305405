import { getTenantBilling } from '@clarion/core/billing/account';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getTenantBilling', (ctx, { path }) => getTenantBilling(ctx, path.tenantRef));
