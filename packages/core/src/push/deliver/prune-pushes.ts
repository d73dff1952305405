/** Push notifications are deleted after a day. The log of their call keeps the result. */
import type { Database } from '@clarion/db';

const KEPT_MS = 24 * 60 * 60_000;
/** Rows per statement: locks last some tens of milliseconds. */
const BATCH = 2_000;

/** @returns how many were deleted */
export async function prunePushes(db: Database, now: Date, batch = BATCH): Promise<number> {
  const before = new Date(now.getTime() - KEPT_MS);
  let total = 0;
  for (let deleted = batch; deleted === batch;) {
    deleted = await db.$executeRaw`
      delete from "PushNotification" where "id" in (
        select "id" from "PushNotification" where "createdAt" < ${before} order by "createdAt" limit ${batch})`;
    total += deleted;
  }
  return total;
}
