/** Delivers one event immediately, as a worker would: claims its delivery, makes the attempt and records it. */
import { attemptDelivery } from '@clarion/core/event/attempt-delivery';
import { claimDeliveries } from '@clarion/core/event/claim-deliveries';
import type { DeliveryContext, DeliveryOutcome, DueEvent } from '@clarion/core/event/delivery';
import { recordAttempts } from '@clarion/core/event/record-attempts';
import type { Database, SqlPool } from '@clarion/db';

const WORKER_ID = 'testkit';
const LIMITS = { count: 100, fullConsumers: [], room: new Map(), roomOfOthers: 100 };

export interface EventToDeliver {
  eventId: string;
  consumerId: number;
}

/** `skipped` also if the event is not pending. */
export async function deliverNow(
  ctx: DeliveryContext & { db: Database },
  event: EventToDeliver,
): Promise<DeliveryOutcome> {
  const due = await claimNext(ctx, event);
  if (!due) return 'skipped';
  const attempt = await attemptDelivery(ctx, due);
  const [recorded] = await recordAttempts(ctx.sql, [{ due, attempt }]);
  return recorded?.outcome ?? 'skipped';
}

/** A claim takes everything that is due. Claims run one at a time, so that none takes what another has just made due. */
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
  await db.$executeRaw`
    update "EventDelivery" d set "dueAt" = date_trunc('milliseconds', now()), "claimedBy" = null, "claimedAt" = null
    from "Event" e where e."id" = d."eventRowId" and e."eventId" = ${event.eventId}::uuid`;
  const { due } = await claimDeliveries(sql, WORKER_ID, LIMITS);
  return due.find(({ eventId }) => eventId === event.eventId) ?? null;
}
