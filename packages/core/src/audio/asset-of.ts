/** Finds an audio asset of the tenant. Audio assets of other tenants are not found. */
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

/** The uploaded file and the decoded files. */
export const filesOfAsset = (
  asset: Pick<AudioAsset, 'storageProvider' | 'storageKey' | 'pcm8kKey' | 'pcm48kKey'>,
): StoredFile[] =>
  [asset.storageKey, asset.pcm8kKey, asset.pcm48kKey].map((key) => ({
    provider: providerOf(asset.storageProvider),
    key,
  }));
