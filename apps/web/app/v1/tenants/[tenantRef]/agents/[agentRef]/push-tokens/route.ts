import { listPushTokens } from '@clarion/core/push/push-tokens';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listPushTokens', async (ctx, { path }) => ({
  pushTokens: await listPushTokens(ctx, path),
}));
