/**
 * Finds pending events without a delivery, which no code leaves behind: a restored backup or an operator's statement may. Each gets one, due
 * immediately, even if several sweeps run concurrently.
 */
import type { Database } from '@clarion/db';
import { announceDeliveries } from '../announce-deliveries.ts';

/** An event that is overdue by less than this may have a job instead, if a process of the previous version recorded it (adopt-delivery.ts). */
const OVERDUE_SECONDS = 60;
/** Events per sweep. The next one, a minute later, continues. */
const SWEEP_MAX = 1_000;

/** Resolves with the number of events found. */
export async function sweepEvents(db: Database): Promise<number> {
  const found = await db.$executeRaw`
    with lost as (
      select e."id", e."consumerId" from "Event" e
      where e."status" = 'PENDING' and e."nextAttemptAt" < now() - ${OVERDUE_SECONDS} * interval '1 second'
        and not exists (select 1 from "EventDelivery" d where d."eventRowId" = e."id")
      order by e."nextAttemptAt" limit ${SWEEP_MAX} for no key update skip locked
    )
    insert into "EventDelivery" ("eventRowId", "consumerId", "dueAt") select "id", "consumerId", now() from lost
    on conflict ("eventRowId") do nothing`;
  if (found > 0) announceDeliveries(db);
  return found;
}
