/** Rejected calls are stored for the diagnostics of their trunks. They contain numbers, so they are deleted after a week. */
import type { Database } from '@clarion/db';

/** docs/requirements.md#limits: the last 7 days. */
const KEPT_MS = 7 * 24 * 60 * 60_000;
/** From when on rejected calls are shown. */
export const refusalsSince = (now: Date): Date => new Date(now.getTime() - KEPT_MS);
/** Rows per statement: locks last some tens of milliseconds. */
const BATCH = 5_000;

/** @returns how many were deleted */
export async function pruneRefusals(db: Database, now: Date, batch = BATCH): Promise<number> {
  const before = refusalsSince(now);
  let total = 0;
  for (let deleted = batch; deleted === batch;) {
    deleted = await db.$executeRaw`
      delete from "SipRefusal" where "id" in (
        select "id" from "SipRefusal" where "at" < ${before} order by "at" limit ${batch})`;
    total += deleted;
  }
  return total;
}
