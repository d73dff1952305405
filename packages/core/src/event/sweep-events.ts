/**
 * Finds pending events without a job: the job failed permanently (its worker crashed 25 times) or was removed. Each event gets one job, due
 * immediately; the job's key keeps it to one even if several sweeps run concurrently.
 */
import { privateJobs, privateTasks } from '@clarion/db';
import type { Database } from '@clarion/db';
import { enqueueDelivery } from './enqueue-delivery.ts';

/** An event that is overdue by less than this is probably being delivered. */
const OVERDUE_SECONDS = 60;
/** Events per sweep. The next one, a minute later, continues. */
const SWEEP_MAX = 1_000;
const SWEEP_LIMITS = { maxWait: 5_000, timeout: 60_000 };

/** Resolves with the number of events found. */
export async function sweepEvents(db: Database): Promise<number> {
  await db.$executeRaw`delete from ${privateJobs} j using ${privateTasks} t
    where t.id = j.task_id and t.identifier = 'deliver-event' and j.attempts >= j.max_attempts and j.locked_at is null`;
  return db.$transaction(async (tx) => {
    const lost = await tx.$queryRaw<{ eventId: string; consumerId: number }[]>`
      select e."eventId"::text as "eventId", e."consumerId" from "Event" e
      where e.status = 'PENDING' and e."nextAttemptAt" < now() - ${OVERDUE_SECONDS} * interval '1 second'
        and not exists (select 1 from ${privateJobs} j where j.key = 'event:' || e."eventId"::text)
      order by e."nextAttemptAt" limit ${SWEEP_MAX} for no key update skip locked`;
    for (const event of lost) await enqueueDelivery(tx, event);
    return lost.length;
  }, SWEEP_LIMITS);
}
