import { createTopUp } from '@clarion/core/billing/change-balance';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = endpoint('createTopUp', (ctx, { path, body }) => createTopUp(ctx, path.tenantRef, body));
