/** Webhook settings and recorded events as resources. */
import { eventTypes } from '@clarion/protocol';
import type { EventType } from '@clarion/protocol';
import type { EventResource } from '@clarion/protocol/v1/account/events';
import type { WebhookResource } from '@clarion/protocol/v1/account/webhook';
import type { Consumer, EventAttempt } from '@clarion/db';
import { statusOf } from './event-status.ts';
import type { EventRow } from './event-status.ts';

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

/** Throws for an unknown type, because only known types are recorded. */
export function presentEvent(event: EventRow, attempts: readonly EventAttempt[]): EventResource {
  if (!isEventType(event.type)) throw new Error(`event ${event.eventId} has the unknown type ${event.type}`);
  return {
    id: Number(event.id),
    eventId: event.eventId,
    eventType: event.type,
    tenantRef: event.tenantRef,
    callId: event.callId,
    occurredAt: event.occurredAt.toISOString(),
    status: statusOf(event),
    attempts: attempts.map(({ at, status, durationMs, error, responseSnippet }) => ({
      at: at.toISOString(),
      status,
      durationMs,
      error,
      responseSnippet,
    })),
    nextAttemptAt: event.delivery?.dueAt.toISOString() ?? null,
  };
}
