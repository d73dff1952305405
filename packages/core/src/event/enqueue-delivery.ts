/** The job of one delivery attempt, the same for a first attempt, a retry and a redelivery. */
import { enqueue } from '@clarion/db';
import type { Tx } from '@clarion/db';

/** Of the deliveries that are due, first attempts and redeliveries go before retries. */
const RETRY_PRIORITY = 10;

/** Deliveries of one consumer carry this flag; a worker runs only so many of one flag at a time. */
const consumerFlag = (consumerId: number) => `consumer:${consumerId}`;

/**
 * Adds the attempt in the caller's transaction. The key keeps it to one waiting attempt per event: a later one takes its place.
 *
 * @param retryAt when omitted, the attempt is due now and goes before retries
 */
export async function enqueueDelivery(
  tx: Tx,
  event: { eventId: string; consumerId: number },
  retryAt?: Date,
): Promise<void> {
  await enqueue(
    tx,
    'deliver-event',
    { eventId: event.eventId },
    {
      key: `event:${event.eventId}`,
      flags: [consumerFlag(event.consumerId)],
      ...(retryAt && { runAt: retryAt, priority: RETRY_PRIORITY }),
    },
  );
}
