/** Audio row → resource. */
import { audioMimeTypes } from '@clarion/protocol/v1/tenant/audio';
import type { AudioAssetResource } from '@clarion/protocol/v1/tenant/audio';
import type { AudioAsset } from '@clarion/db';
import { providerOf } from '@clarion/store/driver';

const MS_PER_SECOND = 1000;

export const presentAudioAsset = (asset: AudioAsset): AudioAssetResource => ({
  id: asset.id,
  name: asset.name,
  // Only what was sniffed is ever stored.
  mimeType: audioMimeTypes.find((type) => type === asset.mimeType) ?? 'audio/wav',
  durationSeconds: Math.round(asset.durationSeconds * MS_PER_SECOND) / MS_PER_SECOND,
  sizeBytes: asset.sizeBytes,
  storageProvider: providerOf(asset.storageProvider),
  createdAt: asset.createdAt.toISOString(),
});
