import { deleteChannel } from '@clarion/core/channel/delete-channel';
import { getChannel } from '@clarion/core/channel/find-channels';
import { putChannel } from '@clarion/core/channel/put-channel';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const PUT = endpoint('putChannel', async (ctx, { path, body }) => ({
  channel: await putChannel(ctx, path.tenantRef, path.channelRef, body),
}));
export const GET = endpoint('getChannel', async (ctx, { path }) => ({
  channel: await getChannel(ctx, path.tenantRef, path.channelRef),
}));
export const DELETE = endpoint('deleteChannel', (ctx, { path }) =>
  deleteChannel(ctx, path.tenantRef, path.channelRef),
);
