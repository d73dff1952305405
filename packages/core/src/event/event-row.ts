/** The row of an event. The bytes of its body are created here, once, and POSTed unchanged at every attempt. Pure but for its ID. */
import { randomUUID } from 'node:crypto';
import { apiVersion, eventData } from '@clarion/protocol';
import type { Envelope, RecordedEventType } from '@clarion/protocol';
import type { z } from 'zod';
import { consumerFlag } from './claim-deliveries.ts';

/** An account's webhook settings as stored. */
export interface WebhookSettings {
  webhookUrl: string | null;
  webhookEventTypes: unknown;
}

/** Whether the consumer wants this type to be sent. The event is recorded and listed either way. */
function isWanted(consumer: WebhookSettings, type: string): boolean {
  if (!consumer.webhookUrl) return false;
  // A test event was requested explicitly, so it is always sent.
  if (type === 'webhook.test') return true;
  return !Array.isArray(consumer.webhookEventTypes) || consumer.webhookEventTypes.includes(type);
}

export interface NewEvent<T extends RecordedEventType> {
  type: T;
  data: z.input<(typeof eventData)[T]>;
  consumerId: number;
  /** Null: it concerns the account. */
  tenant: { id: number; ref: string } | null;
  of?: { callId: number; sequence: number };
  occurredAt: Date;
  now: Date;
}

/** `flag`: by which a worker skips one account's deliveries. */
export function eventRow<T extends RecordedEventType>(event: NewEvent<T>, settings: WebhookSettings) {
  const { type, consumerId, tenant, of, occurredAt, now } = event;
  const envelope: Envelope = {
    event_id: randomUUID(),
    event_type: type,
    data: eventData[type].parse(event.data),
    occurred_at: occurredAt.toISOString(),
    tenant_ref: tenant?.ref ?? null,
    api_version: apiVersion,
    sequence: of?.sequence ?? null,
  };
  const wanted = isWanted(settings, type);
  return {
    eventId: envelope.event_id,
    consumerId,
    tenantId: tenant?.id ?? null,
    tenantRef: tenant?.ref ?? null,
    callId: of?.callId ?? null,
    type,
    sequence: of?.sequence ?? null,
    body: JSON.stringify(envelope),
    occurredAt,
    status: wanted ? ('PENDING' as const) : ('DISCARDED' as const),
    nextAttemptAt: wanted ? now : null,
    flag: consumerFlag(consumerId),
  };
}
