import { ApiError } from '@clarion/protocol';
import type { EventResource } from '@clarion/protocol/v1/account/events';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { presentEvent } from './present.ts';
import { recordEvent } from './record-event.ts';

/**
 * Records a `webhook.test` event, which is signed, retried and listed like any other.
 *
 * @throws invalid_state if no URL is set
 */
export function sendTestEvent(ctx: Ctx): Promise<EventResource> {
  return inTransaction(ctx, async (inner) => {
    const { db, consumer, now, session } = inner;
    const { webhookUrl } = await db.consumer.findUniqueOrThrow({ where: { id: consumer.id } });
    if (webhookUrl === null) {
      throw new ApiError('invalid_state', {
        message: 'No webhook URL is set. Set one before you send a test event.',
      });
    }
    const { eventId } = await recordEvent(db, {
      type: 'webhook.test',
      data: { test: { sentBy: session?.name ?? null } },
      consumerId: consumer.id,
      tenant: null,
      occurredAt: now,
      now,
    });
    await audit(inner, { action: 'webhook.test', target: `event ${eventId}` });
    const event = await db.event.findUniqueOrThrow({ where: { eventId }, include: { delivery: true } });
    return presentEvent(event, []);
  });
}
