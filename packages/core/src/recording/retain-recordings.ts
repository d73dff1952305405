/**
 * Deletes recordings that are older than the tenant's retention (`settings.recording.retention_days`), files first. The calls stay. Without
 * a retention recordings are kept for ever.
 */
import { ApiError } from '@clarion/protocol';
import { MAX_INTEGER } from '@clarion/protocol/v1/fields/fields';
import type { Database } from '@clarion/db';
import { removeWherePossible } from '@clarion/store/remove-files';
import type { Store } from '@clarion/store/store';
import { fileOfRecording } from './recording-files.ts';
import type { RecordingFile } from './recording-files.ts';
import { nameOf, withoutRecordingFiles } from './without-files.ts';
import type { Gone } from './without-files.ts';

/** Recordings whose files are deleted together; each batch is a transaction. */
const BATCH = 100;
/** A tenant's recordings are left to the next run once so many of their files could not be deleted: its storage is unavailable. */
const MAX_FAILURES = 8;

export interface RetentionContext {
  db: Database;
  store: Store;
  now: Date;
}

interface Expired extends RecordingFile {
  callId: number;
  tenantId: number;
  tenantRef: string;
  consumerId: number;
}

/**
 * @returns how many were deleted
 * @throws storage_unavailable if a file could not be deleted, after all others were, or so many of one tenant that the rest of it is left to the
 * next run
 */
export async function retainRecordings(ctx: RetentionContext): Promise<number> {
  let deleted = 0;
  /** The last one that is passed over. */
  let after = { tenantId: 0, callId: 0 };
  let failures = 0;
  let firstFailure: unknown = null;
  for (;;) {
    const expired = await findExpired(ctx, after);
    const [first] = expired;
    if (!first) break;
    if (first.tenantId !== after.tenantId) failures = 0;
    // One tenant at a time, so that each gets its audit entry.
    const batch = expired.filter(({ tenantId }) => tenantId === first.tenantId);
    const { count, errors } = await deleteExpired(ctx, first, batch, MAX_FAILURES - failures);
    deleted += count;
    for (const error of errors) {
      if (!(error instanceof ApiError) || error.code !== 'storage_unavailable') throw error;
      firstFailure ??= error;
      failures += 1;
    }
    const last = batch.at(-1) ?? first;
    after = { tenantId: first.tenantId, callId: failures < MAX_FAILURES ? last.callId : MAX_INTEGER };
  }
  if (firstFailure !== null) throw firstFailure;
  return deleted;
}

/** Deletes the rows whose files could be deleted. */
async function deleteExpired(
  ctx: RetentionContext,
  tenant: Expired,
  batch: readonly Expired[],
  maxErrors: number,
): Promise<{ count: number; errors: unknown[] }> {
  const files = batch.map(fileOfRecording);
  const existing = files.filter((file) => file !== null);
  const { removed, errors } = await removeWherePossible(ctx.store, existing, maxErrors);
  const gone: Gone = new Set(removed.map(nameOf));
  const callIds = batch
    .filter((_, index) => {
      const file = files[index];
      return !file || gone.has(nameOf(file));
    })
    .map(({ callId }) => callId);
  if (callIds.length === 0) return { count: 0, errors };
  const count = await withoutRecordingFiles(
    ctx,
    callIds,
    (inner) => deleteRows(inner, tenant, callIds),
    gone,
  );
  return { count, errors };
}

async function deleteRows(
  { db, now }: RetentionContext,
  tenant: Expired,
  callIds: readonly number[],
): Promise<number> {
  const { count } = await db.recording.deleteMany({ where: { callId: { in: [...callIds] } } });
  await db.auditEntry.create({
    data: {
      consumerId: tenant.consumerId,
      tenantId: tenant.tenantId,
      actorKind: 'job',
      actorId: 'retain-recordings',
      surface: 'job',
      action: 'recording.expire',
      target: tenant.tenantRef,
      details: { recordings: count },
      at: now,
    },
  });
  return count;
}

/** The age of a recording is that of its file. A failed recording has none, and its row keeps the reason. */
const findExpired = (
  { db, now }: RetentionContext,
  after: { tenantId: number; callId: number },
): Promise<Expired[]> =>
  db.$queryRaw<Expired[]>`
    select r."callId", r."storageProvider", r."storageKey", t."id" as "tenantId", t."ref" as "tenantRef", t."consumerId"
    from "Recording" r
      join "Call" c on c."id" = r."callId"
      join "Tenant" t on t."id" = c."tenantId"
    where (t."id", r."callId") > (${after.tenantId}::int, ${after.callId}::int)
      and r."status" = 'COMPLETED' and jsonb_typeof(t."settings" #> '{recording,retentionDays}') = 'number'
      and r."completedAt" < ${now}::timestamptz - (t."settings" #>> '{recording,retentionDays}')::int * interval '1 day'
    order by t."id", r."callId" limit ${BATCH}`;
