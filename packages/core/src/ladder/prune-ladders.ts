/** SIP ladders contain numbers and are for diagnostics, so they are deleted after a week. */
import { LADDER_KEPT_DAYS } from '@clarion/protocol/ladder';
import type { Database } from '@clarion/db';

const KEPT_MS = LADDER_KEPT_DAYS * 24 * 60 * 60_000;
/** Rows per statement: locks last some tens of milliseconds. */
const BATCH = 2_000;

/** @returns how many parts were deleted */
export async function pruneLadders(db: Database, now: Date, batch = BATCH): Promise<number> {
  const before = new Date(now.getTime() - KEPT_MS);
  let total = 0;
  for (let deleted = batch; deleted === batch;) {
    deleted = await db.$executeRaw`
      delete from "CallLadder" where ("callId", "id") in (
        select "callId", "id" from "CallLadder" where "storedAt" < ${before} order by "storedAt" limit ${batch})`;
    total += deleted;
  }
  return total;
}
