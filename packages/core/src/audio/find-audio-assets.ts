/** Reading sounds. */
import { notFound } from '@clarion/protocol';
import type { AudioAssetResource } from '@clarion/protocol/v1/tenant/audio';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { storageUnavailable } from '@clarion/store/driver';
import { DOWNLOAD_SECONDS } from '@clarion/store/store';
import { assetOf, filesOfAsset } from './asset-of.ts';
import { presentAudioAsset } from './present.ts';

export async function getAudioAsset(ctx: Ctx, tenantRef: string, id: number): Promise<AudioAssetResource> {
  return presentAudioAsset(await assetOf(ctx, await tenantOf(ctx, tenantRef), id));
}

/** Oldest first. */
export async function listAudioAssets(ctx: Ctx, tenantRef: string): Promise<AudioAssetResource[]> {
  const tenant = await tenantOf(ctx, tenantRef);
  const assets = await ctx.db.audioAsset.findMany({ where: { tenantId: tenant.id }, orderBy: { id: 'asc' } });
  return assets.map(presentAudioAsset);
}

/** @throws 503 storage_unavailable when the store cannot be reached, or the deployment has none */
export async function getAudioAssetUrl(
  ctx: Ctx,
  tenantRef: string,
  id: number,
): Promise<{ url: string; expiresInSeconds: number }> {
  const { store, now } = ctx;
  const asset = await assetOf(ctx, await tenantOf(ctx, tenantRef), id);
  const [upload] = filesOfAsset(asset);
  if (!upload || store.provider === null) throw storageUnavailable();
  if ((await store.sizeOf(upload)) === null) throw notFound("The audio asset's file");
  return { url: await store.downloadUrl(upload, now), expiresInSeconds: DOWNLOAD_SECONDS };
}
