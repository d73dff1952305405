import { createAdjustment } from '@clarion/core/billing/change-balance';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = endpoint('createAdjustment', (ctx, { path, body }) =>
  createAdjustment(ctx, path.tenantRef, body),
);
