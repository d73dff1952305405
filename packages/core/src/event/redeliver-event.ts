import { ApiError, notFound } from '@clarion/protocol';
import type { EventResource } from '@clarion/protocol/v1/account/events';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { enqueueDelivery } from './enqueue-delivery.ts';
import { eventsInScope } from './events-in-scope.ts';
import { presentOneEvent } from './present-events.ts';

/**
 * Sends an event again, whatever its status, to the current URL, even if its type is not selected any more. The schedule starts again; the
 * earlier attempts stay in the list.
 *
 * @throws not_found, and invalid_state if no URL is set
 */
export async function redeliverEvent(ctx: Ctx, eventId: string): Promise<EventResource> {
  return inTransaction(ctx, async (inner) => {
    const { db, consumer } = inner;
    const known = await db.event.findFirst({ where: { eventId, ...eventsInScope(inner) } });
    if (!known) throw notFound('The event');
    const { webhookUrl } = await db.consumer.findUniqueOrThrow({ where: { id: consumer.id } });
    if (webhookUrl === null) throw new ApiError('invalid_state', { message: 'No webhook URL is set.' });
    await enqueueDelivery(db, known);
    await audit(inner, { action: 'event.redeliver', target: `event ${eventId}` });
    const event = await db.event.findUniqueOrThrow({ where: { id: known.id }, include: { delivery: true } });
    return presentOneEvent(db, event);
  });
}
