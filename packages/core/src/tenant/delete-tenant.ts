/**
 * Deletes a suspended tenant with everything that belongs to it. First its lines are disabled, so that no call begins while its files are
 * removed. Then the files, so that an unavailable store leaves everything else unchanged. Then its history, in batches of calls, because a
 * hundred thousand calls do not fit into one transaction; then the tenant itself. An interruption leaves a suspended tenant that the next
 * DELETE finishes. Its numbers stay on record as released, and so do its usage and its billing account.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@clarion/protocol';
import { notify } from '@clarion/db';
import type { Tenant } from '@clarion/db';
import { filesOfAsset } from '../audio/asset-of.ts';
import { deleteCallRows, nothingRemoved, plus } from '../call/erasure/traces.ts';
import type { Removed } from '../call/erasure/traces.ts';
import { audit, inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { filesLeft, removeOnce, withoutRecordingFiles } from '../recording/without-files.ts';
import type { Gone } from '../recording/without-files.ts';
import { filesOfRecordings } from '../recording/recording-files.ts';
import type { RecordingFile } from '../recording/recording-files.ts';
import { storageUnavailable } from '@clarion/store/driver';
import { tenantPrefix } from '@clarion/store/file-key';

/** A call that was admitted to a line before it was disabled has begun by then, or never will. */
const ADMITTED_WITHIN_MS = 1_000;
/** Calls per transaction. */
const BATCH = 1_000;
/** The last transaction deletes lines, queues and people: thousands of rows at most. */
const LAST_LIMITS = { timeout: 60_000 };
/** Files were repeatedly stored while the tenant was being deleted. */
const MAX_ROUNDS = 5;

/** @throws 409 tenant_active, call_active; 503 storage_unavailable, which has changed nothing but the status of its lines */
export async function deleteTenant(ctx: Ctx, ref: string): Promise<void> {
  const tenant = await tenantOf(ctx, ref);
  await assertDeletable(ctx, tenant);
  await closeLines(ctx, tenant);
  const gone: Gone = new Set();
  let removed = nothingRemoved;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    await removeTenantFiles(ctx, tenant.id, gone);
    for (let batch = await deleteBatch(ctx, tenant, gone); batch;) {
      removed = plus(removed, batch);
      batch = await deleteBatch(ctx, tenant, gone);
    }
    if (await deleteRest(ctx, tenant, removed, gone)) return;
  }
  throw storageUnavailable(new Error('new files kept being added'));
}

async function closeLines(ctx: Ctx, tenant: Tenant): Promise<void> {
  const { count } = await ctx.db.channel.updateMany({
    where: { tenantId: tenant.id, status: { not: 'DISABLED' } },
    data: { status: 'DISABLED' },
  });
  if (count === 0) return;
  await sleep(ADMITTED_WITHIN_MS);
  await assertDeletable(ctx, tenant);
}

async function assertDeletable({ db, consumer }: Ctx, { id, ref }: Tenant): Promise<void> {
  const tenant = await db.tenant.findFirst({ where: { id, ref, consumerId: consumer.id } });
  if (tenant && tenant.status !== 'SUSPENDED') throw new ApiError('tenant_active');
  if ((await db.liveCall.count({ where: { tenantId: id } })) > 0) {
    throw new ApiError('call_active', { message: 'A call of this tenant has not ended yet.' });
  }
}

/** Deletes the files to which rows refer, then everything else under the tenant's prefix. */
async function removeTenantFiles(ctx: Ctx, tenantId: number, gone: Gone): Promise<void> {
  for (let after = 0; ;) {
    const rows = await ctx.db.$queryRaw<(RecordingFile & { id: number })[]>`
      select r."id", r."storageProvider", r."storageKey" from "Recording" r join "Call" c on c."id" = r."callId"
      where c."tenantId" = ${tenantId} and r."storageKey" is not null and r."id" > ${after}
      order by r."id" limit ${BATCH}`;
    const last = rows.at(-1);
    if (!last) break;
    await removeOnce(ctx, filesOfRecordings(rows), gone);
    after = last.id;
  }
  const assets = await ctx.db.audioAsset.findMany({ where: { tenantId } });
  await removeOnce(ctx, assets.flatMap(filesOfAsset), gone);
  await ctx.store.removeAll(tenantPrefix(tenantId));
}

/** Null if no ended call is left. */
async function deleteBatch(ctx: Ctx, tenant: Tenant, gone: Gone): Promise<Removed | null> {
  const rows = await ctx.db.$queryRaw<{ id: number }[]>`
    select "id" from "Call" where "tenantId" = ${tenant.id} and "status" in ('TERMINATED', 'FAILED')
    order by "id" desc limit ${BATCH}`;
  if (rows.length === 0) return null;
  const callIds = rows.map(({ id }) => id).toReversed();
  return withoutRecordingFiles(
    ctx,
    callIds,
    async (inner) => {
      await assertDeletable(inner, tenant);
      const removed = await deleteCallRows(inner.db, callIds);
      await audit(inner, {
        action: 'tenant.delete_calls',
        target: tenant.ref,
        tenantId: tenant.id,
        details: { ...removed },
      });
      return removed;
    },
    gone,
  );
}

/** False if a call ended or a file was added meanwhile: then there is more to delete first. */
async function deleteRest(
  ctx: Ctx,
  { id: tenantId, ref }: Tenant,
  removed: Removed,
  gone: Gone,
): Promise<boolean> {
  return inTransaction(
    ctx,
    async (inner) => {
      const { db } = inner;
      // A call that begins meanwhile refers to this row, so it waits for the lock and then finds no tenant.
      await db.$queryRaw`select 1 from "Tenant" where "id" = ${tenantId} for update`;
      const tenant = await tenantOf(inner, ref);
      await assertDeletable(inner, tenant);
      if ((await db.call.count({ where: { tenantId } })) > 0) return false;
      const assets = await db.audioAsset.findMany({ where: { tenantId } });
      if (filesLeft(assets.flatMap(filesOfAsset), gone).length > 0) return false;
      const { count: releasedNumbers } = await db.phoneNumber.updateMany({
        where: { tenantId, status: 'ASSIGNED' },
        data: { status: 'RELEASED', releasedAt: inner.now },
      });
      // Flows refer to assets and queues, lines to queues, queues to assets, so the references are removed first.
      const { count: ivrFlows } = await db.ivrFlow.deleteMany({ where: { tenantId } });
      const { count: lines } = await db.channel.deleteMany({ where: { tenantId } });
      const { count: queues } = await db.queue.deleteMany({ where: { tenantId } });
      const { count: audioAssets } = await db.audioAsset.deleteMany({ where: { tenantId } });
      const { count: agents } = await db.agent.deleteMany({ where: { tenantId } });
      await db.event.deleteMany({ where: { consumerId: inner.consumer.id, tenantId } });
      await db.tenant.delete({ where: { id: tenantId } });
      await audit(inner, {
        action: 'tenant.delete',
        target: ref,
        tenantId,
        details: { ...removed, ivrFlows, lines, queues, audioAssets, agents, releasedNumbers },
      });
      await notify(db, 'clarion_tenant', tenantId);
      return true;
    },
    LAST_LIMITS,
  );
}
