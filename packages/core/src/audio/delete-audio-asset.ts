/** Deletes an audio asset that nothing uses: its files first, then its row. */
import { inUse } from '@clarion/protocol';
import { audit, inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { removeFiles } from '@clarion/store/remove-files';
import { assetOf, filesOfAsset } from './asset-of.ts';

/** Allows for the slowest responses of an unavailable store, for three files concurrently, and the statements around them. */
const LIMITS = { timeout: 40_000 };

/** @throws 409 in_use naming queues and IVR flows; 503 storage_unavailable, which changes nothing */
export async function deleteAudioAsset(ctx: Ctx, tenantRef: string, id: number): Promise<void> {
  await inTransaction(
    ctx,
    async (inner) => {
      const { db, store } = inner;
      const tenant = await tenantOf(inner, tenantRef);
      // Locked while the files are removed: a queue or flow that starts to use the asset meanwhile waits, and then does not find it.
      await db.$queryRaw`select 1 from "AudioAsset" where "id" = ${id} and "tenantId" = ${tenant.id} for update`;
      const asset = await assetOf(inner, tenant, id);
      const usedBy = await usersOf(inner, id);
      if (usedBy.length > 0) throw inUse(usedBy);
      await removeFiles(store, filesOfAsset(asset));
      await db.audioAsset.deleteMany({ where: { id } });
      await audit(inner, {
        action: 'audio_asset.delete',
        target: String(id),
        tenantId: tenant.id,
        details: { name: asset.name },
      });
    },
    LIMITS,
  );
}

async function usersOf({ db }: Ctx, audioAssetId: number): Promise<string[]> {
  const queues = await db.queue.findMany({
    where: { holdAudioAssetId: audioAssetId },
    select: { ref: true },
    orderBy: { id: 'asc' },
  });
  const flows = await db.ivrFlow.findMany({
    where: { audioAssets: { some: { audioAssetId } } },
    select: { ref: true },
    orderBy: { id: 'asc' },
  });
  return [...queues.map(({ ref }) => `queue:${ref}`), ...flows.map(({ ref }) => `ivrFlow:${ref}`)];
}
