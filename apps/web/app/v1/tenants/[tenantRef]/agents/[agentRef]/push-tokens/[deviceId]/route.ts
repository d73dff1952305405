import { deletePushTokens } from '@clarion/core/push/push-tokens';
import { putPushToken } from '@clarion/core/push/put-push-token';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const PUT = endpoint('putPushToken', async (ctx, { path, body }) => ({
  pushToken: await putPushToken(ctx, path, body),
}));
export const DELETE = endpoint('deletePushToken', (ctx, { path }) => deletePushTokens(ctx, path));
