import {
  deletePushCredentials,
  getPushCredentials,
  putPushCredentials,
} from '@clarion/core/push/push-credentials';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const PUT = endpoint('putPushCredentials', async (ctx, { path, body }) => ({
  pushCredentials: await putPushCredentials(ctx, path.provider, body),
}));
export const GET = endpoint('getPushCredentials', async (ctx, { path }) => ({
  pushCredentials: await getPushCredentials(ctx, path.provider),
}));
export const DELETE = endpoint('deletePushCredentials', (ctx, { path }) =>
  deletePushCredentials(ctx, path.provider),
);
