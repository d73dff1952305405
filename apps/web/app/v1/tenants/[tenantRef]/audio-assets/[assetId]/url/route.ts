import { getAudioAssetUrl } from '@clarion/core/audio/find-audio-assets';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getAudioAssetUrl', (ctx, { path }) =>
  getAudioAssetUrl(ctx, path.tenantRef, path.assetId),
);
