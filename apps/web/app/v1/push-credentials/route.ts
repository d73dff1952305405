import { listPushCredentials } from '@clarion/core/push/push-credentials';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listPushCredentials', async (ctx) => ({
  pushCredentials: await listPushCredentials(ctx),
}));
