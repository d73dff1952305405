/** The job of a delivery: created for a first attempt or a redelivery, and rescheduled for each retry (record-attempts.ts). */
import { enqueue } from '@clarion/db';
import type { Tx } from '@clarion/db';
import { consumerFlag } from './claim-deliveries.ts';

/** Among due deliveries, first attempts and redeliveries precede retries. */
export const RETRY_PRIORITY = 10;

/**
 * Adds the job in the caller's transaction. The key limits it to one waiting attempt per event: a later one replaces it. The flag lets a
 * worker skip one consumer's deliveries.
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
