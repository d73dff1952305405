/** The only way to a sound: one of another tenant is not found. */
import { notFound } from '@clarion/protocol';
import type { AudioAsset, Tenant } from '@clarion/db';
import type { Ctx } from '../context.ts';
import { providerOf } from '@clarion/store/driver';
import type { StoredFile } from '@clarion/store/driver';

export async function findAsset(ctx: Ctx, tenant: Tenant, id: number): Promise<AudioAsset | null> {
  return ctx.db.audioAsset.findFirst({ where: { id, tenantId: tenant.id } });
}

export async function assetOf(ctx: Ctx, tenant: Tenant, id: number): Promise<AudioAsset> {
  const asset = await findAsset(ctx, tenant, id);
  if (!asset) throw notFound('The audio asset');
  return asset;
}

/** The upload and what was decoded from it. */
export const filesOfAsset = (
  asset: Pick<AudioAsset, 'storageProvider' | 'storageKey' | 'pcm8kKey' | 'pcm48kKey'>,
): StoredFile[] =>
  [asset.storageKey, asset.pcm8kKey, asset.pcm48kKey].map((key) => ({
    provider: providerOf(asset.storageProvider),
    key,
  }));
