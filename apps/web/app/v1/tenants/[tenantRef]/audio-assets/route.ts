import { createAudioAsset } from '@clarion/core/audio/create-audio-asset';
import { listAudioAssets } from '@clarion/core/audio/find-audio-assets';
import { commitPrepared } from '@clarion/core/prepared';
import { endpoint, twoPhaseEndpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

// The file is decoded and stored outside the transaction, and removed if that fails.
export const POST = twoPhaseEndpoint('createAudioAsset', async (ctx, { path, body }, commit) => {
  const prepared = await createAudioAsset(ctx, path.tenantRef, body);
  return commitPrepared(prepared, (asset) =>
    commit(async (inner) => ({ audioAsset: await asset.commit(inner) })),
  );
});
export const GET = endpoint('listAudioAssets', async (ctx, { path }) => ({
  audioAssets: await listAudioAssets(ctx, path.tenantRef),
}));
