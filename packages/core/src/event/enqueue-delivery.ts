/** The job of a delivery: made for a first attempt or a redelivery, and put off from there to each retry (record-attempts.ts). */
import { enqueue } from '@clarion/db';
import type { Tx } from '@clarion/db';
import { consumerFlag } from './claim-deliveries.ts';

/** Of the deliveries that are due, first attempts and redeliveries go before retries. */
export const RETRY_PRIORITY = 10;

/**
 * Adds the attempt in the caller's transaction. The key keeps it to one waiting attempt per event: a later one takes its place.
 * The flag lets a worker leave one consumer's deliveries alone.
 */
export async function enqueueDelivery(tx: Tx, event: { eventId: string; consumerId: number }): Promise<void> {
  await enqueue(
    tx,
    'deliver-event',
    { eventId: event.eventId },
    {
      key: `event:${event.eventId}`,
      flags: [consumerFlag(event.consumerId)],
    },
  );
}
