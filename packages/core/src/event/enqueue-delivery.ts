/** The delivery of an event: created for a first attempt or a redelivery, and rescheduled for each retry (record-attempts.ts). */
import type { Tx } from '@clarion/db';
import { markRecorded } from '../announce-deliveries.ts';

/** Among due deliveries, first attempts and redeliveries precede retries. */
export const RETRY_PRIORITY = 10;

/**
 * Makes the event due immediately, in the caller's transaction. An event has one delivery: if it is waiting or being sent, it is due again,
 * and the attempt that is being made does not end it. The column has milliseconds: rounded up, the time could still be ahead of the next claim.
 */
export async function enqueueDelivery(tx: Tx, event: { eventId: string }): Promise<void> {
  await tx.$executeRaw`
    insert into "EventDelivery" as d ("eventRowId", "consumerId", "dueAt")
    select id, "consumerId", date_trunc('milliseconds', now()) from "Event" where "eventId" = ${event.eventId}::uuid
    on conflict ("eventRowId") do update set "dueAt" = excluded."dueAt", "attemptCount" = 0, "priority" = 0,
      "revision" = d."revision" + 1, "claimedBy" = null, "claimedAt" = null`;
  // Afterwards, because the delivery may have waited for the record of the last attempt, which sets it.
  await tx.$executeRaw`
    update "Event" set "undelivered" = null where "eventId" = ${event.eventId}::uuid and "undelivered" is not null`;
  markRecorded(tx);
}
