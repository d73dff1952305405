/**
 * Finds pending events that no job leads to: the job died (its worker crashed 25 times) or somebody removed it. Each gets one job, due
 * now: the job's key keeps it to one, however many sweep at once.
 */
import { privateJobs, privateTasks } from '@clarion/db';
import type { Database } from '@clarion/db';
import { enqueueDelivery } from './enqueue-delivery.ts';

/** An event that is overdue by less than this is being seen to. */
const OVERDUE_SECONDS = 60;
/** Events of one sweep; the next one, a minute later, goes on. */
const SWEEP_MAX = 1_000;
const SWEEP_LIMITS = { maxWait: 5_000, timeout: 60_000 };

/** Resolves with how many it found. */
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
