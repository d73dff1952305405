/** Creates or replaces a queue with its members. */
import { notifyAfterCommit } from '@clarion/db';
import type { Tenant } from '@clarion/db';
import { invalidField } from '@clarion/protocol';
import type { PutQueue, QueueResource } from '@clarion/protocol/v1/tenant/queues';
import { findAsset } from '../audio/asset-of.ts';
import { audit, inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { violatedConstraint } from '../violated-constraint.ts';
import { presentQueue } from './present.ts';
import { findQueue, queueOf } from './queue-of.ts';
import { replaceMembers } from './replace-members.ts';

/** @throws 400 naming overflow_queue_ref, hold_audio_asset_id or a member */
export async function putQueue(
  ctx: Ctx,
  tenantRef: string,
  ref: string,
  input: PutQueue,
): Promise<QueueResource> {
  return translating(() =>
    inTransaction(ctx, async (inner) => {
      const { db } = inner;
      const tenant = await tenantOf(inner, tenantRef);
      const { members, overflowQueueRef, ...columns } = input;
      await assertHoldAudio(inner, tenant, columns.holdAudioAssetId);
      const changed = { ...columns, overflowQueueId: await overflowOf(inner, tenant, ref, overflowQueueRef) };
      const { id } = await db.queue.upsert({
        where: { tenantId_ref: { tenantId: tenant.id, ref } },
        create: { tenantId: tenant.id, ref, ...changed },
        update: changed,
      });
      await replaceMembers(inner, tenant, id, members);
      await audit(inner, {
        action: 'queue.put',
        target: ref,
        tenantId: tenant.id,
        details: { name: input.name, strategy: input.strategy, members: members.length },
      });
      await notifyAfterCommit(db, 'clarion_queue', id);
      return presentQueue(await queueOf(inner, tenant, ref));
    }),
  );
}

const DELETED_SINCE: Readonly<Record<string, { field: string; what: string }>> = {
  Queue_overflowQueueId_fkey: { field: 'overflow_queue_ref', what: 'queue' },
  Queue_holdAudioAssetId_fkey: { field: 'hold_audio_asset_id', what: 'audio asset' },
};

/** A referenced row existed when it was checked and was deleted since. */
async function translating<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const deleted = DELETED_SINCE[violatedConstraint(error) ?? ''];
    if (!deleted) throw error;
    throw invalidField(deleted.field, `${deleted.field}: the ${deleted.what} was just deleted.`);
  }
}

async function assertHoldAudio(ctx: Ctx, tenant: Tenant, assetId: number | null): Promise<void> {
  if (assetId === null || (await findAsset(ctx, tenant, assetId))) return;
  throw invalidField('hold_audio_asset_id', `hold_audio_asset_id: the tenant has no audio asset ${assetId}.`);
}

/** Longer loops are allowed, because a call visits each queue once. */
async function overflowOf(
  ctx: Ctx,
  tenant: Tenant,
  ref: string,
  overflowRef: string | null,
): Promise<number | null> {
  if (overflowRef === null) return null;
  const field = 'overflow_queue_ref';
  if (overflowRef === ref) throw invalidField(field, `${field}: a queue cannot overflow to itself.`);
  const overflow = await findQueue(ctx, tenant, overflowRef);
  if (!overflow) throw invalidField(field, `${field}: the tenant has no queue ${overflowRef}.`);
  return overflow.id;
}
