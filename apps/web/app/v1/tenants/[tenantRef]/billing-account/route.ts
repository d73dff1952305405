import { putBillingAccount } from '@clarion/core/billing/account';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const PUT = endpoint('putBillingAccount', async (ctx, { path, body }) => ({
  account: await putBillingAccount(ctx, path.tenantRef, body),
}));
