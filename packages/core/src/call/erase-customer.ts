/**
 * Erases a customer from the ended calls of a tenant. The recording files are removed first, because the store may be unavailable: a 503
 * has changed no row. Then the rows are changed in batches, each in its own transaction, so that an interrupted erasure can be repeated.
 */
import type { Tenant } from '@clarion/db';
import { liveStatuses } from '@clarion/protocol';
import type { EraseCustomer, Erasure } from '@clarion/protocol/v1/call/customers';
import { audit, inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { eraseForwardedCalls } from '../forwarding/forwarded-calls.ts';
import { addressForms } from '../numbers/address-forms.ts';
import { filesOfRecordings } from '../recording/recording-files.ts';
import type { RecordingFile } from '../recording/recording-files.ts';
import { removeOnce, withoutRecordingFiles } from '../recording/without-files.ts';
import type { Gone } from '../recording/without-files.ts';
import { eraseWhatsApp, linkedAddresses } from '../whatsapp/erase-whatsapp.ts';
import { eraseCallRows, nothingRemoved, plus } from './erasure/traces.ts';
import type { Removed } from './erasure/traces.ts';

/** Calls per transaction: locks last some hundred milliseconds. */
const BATCH = 500;

/** @throws 503 storage_unavailable, which changes no row */
export async function eraseCustomer(ctx: Ctx, tenantRef: string, input: EraseCustomer): Promise<Erasure> {
  const tenant = await tenantOf(ctx, tenantRef);
  const forms = await linkedAddresses(ctx.db, tenant.id, addressForms(input.address));
  const gone: Gone = new Set();
  await removeAllFiles(ctx, tenant, forms, gone);
  let total = nothingRemoved;
  let activeCallsSkipped: number;
  for (;;) {
    // Counted before the batch, which finds a call that ends in between.
    activeCallsSkipped = await countLiveCalls(ctx, tenant, forms);
    const erased = await eraseBatch(ctx, tenant, forms, gone);
    if (!erased) break;
    total = plus(total, erased);
  }
  await eraseElsewhere(ctx, tenant, forms);
  return { callsErased: total.calls, recordingsDeleted: total.recordings, activeCallsSkipped };
}

const countLiveCalls = ({ db }: Ctx, { id }: Tenant, forms: string[]): Promise<number> =>
  db.call.count({
    where: { tenantId: id, customerAddress: { in: forms }, status: { in: [...liveStatuses] } },
  });

async function removeAllFiles(ctx: Ctx, { id }: Tenant, forms: string[], gone: Gone): Promise<void> {
  for (let after = 0; ;) {
    const rows = await ctx.db.$queryRaw<(RecordingFile & { id: number })[]>`
      select r."id", r."storageProvider", r."storageKey" from "Recording" r join "Call" c on c."id" = r."callId"
      where c."tenantId" = ${id} and c."customerAddress" = any(${forms}::text[])
        and c."status" in ('TERMINATED', 'FAILED') and r."storageKey" is not null and r."id" > ${after}
      order by r."id" limit ${BATCH}`;
    const last = rows.at(-1);
    if (!last) return;
    await removeOnce(ctx, filesOfRecordings(rows), gone);
    after = last.id;
  }
}

/** Null if no call of the customer is left. */
async function eraseBatch(ctx: Ctx, tenant: Tenant, forms: string[], gone: Gone): Promise<Removed | null> {
  const batch = await endedCalls(ctx, tenant, forms);
  if (batch.length === 0) return null;
  return withoutRecordingFiles(
    ctx,
    batch,
    async (inner) => {
      // A concurrent erasure may have changed them while this one waited for the locks.
      const callIds = await endedCalls(inner, tenant, forms, batch);
      const removed = await eraseCallRows(inner.db, callIds);
      await audit(inner, {
        action: 'customer.erase',
        target: 'calls',
        tenantId: tenant.id,
        details: { ...removed },
      });
      return removed;
    },
    gone,
  );
}

/** Oldest first, of `among` if given. */
async function endedCalls(
  { db }: Ctx,
  { id }: Tenant,
  forms: string[],
  among: number[] | null = null,
): Promise<number[]> {
  const rows = await db.$queryRaw<{ id: number }[]>`
    select "id" from "Call"
    where "tenantId" = ${id} and "customerAddress" = any(${forms}::text[]) and "status" in ('TERMINATED', 'FAILED')
      and (${among}::int[] is null or "id" = any(${among}::int[]))
    order by "id" limit ${BATCH}`;
  return rows.map((row) => row.id);
}

/** Other tables with a customer's address. A rejected SIP call is stored with the called number. */
async function eraseElsewhere(ctx: Ctx, tenant: Tenant, forms: string[]): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const erased = await eraseWhatsApp(inner.db, tenant.id, forms);
    await eraseForwardedCalls(inner.db, ctx.consumer.id, forms);
    await audit(inner, {
      action: 'customer.erase',
      target: 'customer',
      tenantId: tenant.id,
      details: { ...erased },
    });
  });
}
