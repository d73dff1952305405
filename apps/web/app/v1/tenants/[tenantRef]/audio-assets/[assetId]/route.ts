import { deleteAudioAsset } from '@clarion/core/audio/delete-audio-asset';
import { getAudioAsset } from '@clarion/core/audio/find-audio-assets';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getAudioAsset', async (ctx, { path }) => ({
  audioAsset: await getAudioAsset(ctx, path.tenantRef, path.assetId),
}));
export const DELETE = endpoint('deleteAudioAsset', (ctx, { path }) =>
  deleteAudioAsset(ctx, path.tenantRef, path.assetId),
);
