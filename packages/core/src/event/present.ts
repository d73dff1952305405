/** Webhook settings and recorded events as resources. */
import { eventTypes } from '@clarion/protocol';
import type { EventType } from '@clarion/protocol';
import type { EventResource } from '@clarion/protocol/v1/account/events';
import type { WebhookResource } from '@clarion/protocol/v1/account/webhook';
import type { Consumer, Event, EventAttempt } from '@clarion/db';

const isEventType = (name: unknown): name is EventType => eventTypes.some((known) => known === name);

export function presentWebhook(
  consumer: Pick<Consumer, 'webhookUrl' | 'lookupUrl' | 'webhookEventTypes' | 'webhookSecretSealed'>,
): WebhookResource {
  const { webhookEventTypes: chosen } = consumer;
  return {
    url: consumer.webhookUrl,
    lookupUrl: consumer.lookupUrl,
    eventTypes: Array.isArray(chosen) ? chosen.filter(isEventType) : null,
    secretSet: consumer.webhookSecretSealed !== null,
  };
}

/** Throws for a type that the protocol does not know: nothing records such an event. */
export function presentEvent(event: Event & { attempts: EventAttempt[] }): EventResource {
  if (!isEventType(event.type)) throw new Error(`event ${event.eventId} has the unknown type ${event.type}`);
  return {
    id: Number(event.id),
    eventId: event.eventId,
    eventType: event.type,
    tenantRef: event.tenantRef,
    callId: event.callId,
    occurredAt: event.occurredAt.toISOString(),
    status: event.status,
    attempts: event.attempts.map(({ at, status, durationMs, error, responseSnippet }) => ({
      at: at.toISOString(),
      status,
      durationMs,
      error,
      responseSnippet,
    })),
    nextAttemptAt: event.nextAttemptAt?.toISOString() ?? null,
  };
}
