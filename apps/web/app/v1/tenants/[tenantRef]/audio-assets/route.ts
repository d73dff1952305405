import { createAudioAsset } from '@clarion/core/audio/create-audio-asset';
import { listAudioAssets } from '@clarion/core/audio/find-audio-assets';
import { endpoint, preparedEndpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = preparedEndpoint('createAudioAsset', async (ctx, { path, body }) => {
  const { commit, discard } = await createAudioAsset(ctx, path.tenantRef, body);
  return { commit: async (inner) => ({ audioAsset: await commit(inner) }), discard };
});
export const GET = endpoint('listAudioAssets', async (ctx, { path }) => ({
  audioAssets: await listAudioAssets(ctx, path.tenantRef),
}));
