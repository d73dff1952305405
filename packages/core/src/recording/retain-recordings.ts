/**
 * Deletes recordings that are older than the tenant's retention (`settings.recording.retention_days`), files first. The calls stay. Without
 * a retention recordings are kept for ever.
 */
import { ApiError } from '@clarion/protocol';
import type { Database } from '@clarion/db';
import type { Store } from '@clarion/store/store';
import { withoutRecordingFiles } from './without-files.ts';

/** Recordings whose files are deleted together; each batch is a transaction. */
const BATCH = 100;

export interface RetentionContext {
  db: Database;
  store: Store;
  now: Date;
}

interface Expired {
  callId: number;
  tenantId: number;
  tenantRef: string;
  consumerId: number;
}

/**
 * @returns how many were deleted
 * @throws storage_unavailable if a file could not be deleted, after the other tenants' recordings were: its tenant's rest is deleted at the
 * next run
 */
export async function retainRecordings(ctx: RetentionContext): Promise<number> {
  let deleted = 0;
  let afterTenantId = 0;
  let failure: ApiError | null = null;
  for (;;) {
    const expired = await findExpired(ctx, afterTenantId);
    const [first] = expired;
    if (!first) break;
    // One tenant at a time, so that each gets its audit entry.
    const batch = expired.filter(({ tenantId }) => tenantId === first.tenantId);
    try {
      deleted += await deleteExpired(ctx, first, batch);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'storage_unavailable') throw error;
      failure ??= error;
      afterTenantId = first.tenantId;
    }
  }
  if (failure) throw failure;
  return deleted;
}

function deleteExpired(ctx: RetentionContext, tenant: Expired, batch: readonly Expired[]): Promise<number> {
  const callIds = batch.map(({ callId }) => callId);
  return withoutRecordingFiles(ctx, callIds, async ({ db, now }) => {
    const { count } = await db.recording.deleteMany({ where: { callId: { in: callIds } } });
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
  });
}

/** The age of a recording is that of its file. A failed recording has none, and its row keeps the reason. */
const findExpired = ({ db, now }: RetentionContext, afterTenantId: number): Promise<Expired[]> =>
  db.$queryRaw<Expired[]>`
    select r."callId", t."id" as "tenantId", t."ref" as "tenantRef", t."consumerId"
    from "Recording" r
      join "Call" c on c."id" = r."callId"
      join "Tenant" t on t."id" = c."tenantId"
    where t."id" > ${afterTenantId} and r."status" = 'COMPLETED' and jsonb_typeof(t."settings" #> '{recording,retentionDays}') = 'number'
      and r."completedAt" < ${now}::timestamptz - (t."settings" #>> '{recording,retentionDays}')::int * interval '1 day'
    order by t."id", r."callId" limit ${BATCH}`;
