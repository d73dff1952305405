/** Delivers one event immediately, as a worker would: claims its job, makes the attempt and records it. */
import { attemptDelivery } from '@clarion/core/event/attempt-delivery';
import { claimDeliveries } from '@clarion/core/event/claim-deliveries';
import type { DeliveryContext, DeliveryOutcome, DueEvent } from '@clarion/core/event/delivery';
import { enqueueDelivery } from '@clarion/core/event/enqueue-delivery';
import { endIdleJobs, recordAttempts } from '@clarion/core/event/record-attempts';
import { privateJobs } from '@clarion/db';
import type { Database, SqlPool } from '@clarion/db';

const WORKER_ID = 'testkit';
const LIMITS = { count: 100, fullConsumers: [], room: new Map(), roomOfOthers: 100 };

export interface EventToDeliver {
  eventId: string;
  consumerId: number;
}

/** `skipped` also if the event is not pending: a worker then only completes its job. */
export async function deliverNow(
  ctx: DeliveryContext & { db: Database },
  event: EventToDeliver,
): Promise<DeliveryOutcome> {
  const due = await claimNext(ctx, event);
  if (!due) return 'skipped';
  const attempt = await attemptDelivery(ctx, due);
  const [recorded] = await recordAttempts(ctx.sql, WORKER_ID, [{ due, attempt }]);
  return recorded?.outcome ?? 'skipped';
}

/** A claim takes every job that is due. Claims run one at a time, so that none takes the job that another has just made due. */
let claimed: Promise<unknown> = Promise.resolve();
function claimNext(ctx: { db: Database; sql: SqlPool }, event: EventToDeliver): Promise<DueEvent | null> {
  const next = claimed.then(() => claim(ctx, event));
  claimed = next.catch(() => undefined);
  return next;
}

async function claim(
  { db, sql }: { db: Database; sql: SqlPool },
  event: EventToDeliver,
): Promise<DueEvent | null> {
  const jobs = await db.$executeRaw`
    update ${privateJobs} set run_at = now(), locked_by = null, locked_at = null
    where key = ${`event:${event.eventId}`}`;
  if (jobs === 0) await enqueueDelivery(db, event);
  const { due, idleJobs } = await claimDeliveries(sql, WORKER_ID, LIMITS);
  if (idleJobs.length > 0) await endIdleJobs(sql, WORKER_ID, idleJobs);
  return due.find(({ eventId }) => eventId === event.eventId) ?? null;
}
