/**
 * The outbox: an event is a row and a job in the transaction of the change that it tells of. The body's bytes are made
 * here, once, and POSTed unchanged on every attempt.
 */
import { randomUUID } from 'node:crypto';
import { apiVersion, eventData } from '@clarion/protocol';
import type { CallEventType, Envelope, RecordedEventType } from '@clarion/protocol';
import type { z } from 'zod';
import type { Call, Consumer, Tx } from '@clarion/db';
import { enqueueDelivery } from './enqueue-delivery.ts';

/** Whether this consumer wants this type sent at all; the event is recorded and listed either way. */
export function isWanted(
  consumer: Pick<Consumer, 'webhookUrl' | 'webhookEventTypes'>,
  type: string,
): boolean {
  if (!consumer.webhookUrl) return false;
  // Nobody asks for one in order not to get it.
  if (type === 'webhook.test') return true;
  return !Array.isArray(consumer.webhookEventTypes) || consumer.webhookEventTypes.includes(type);
}

/**
 * When the event is said to have occurred: later than every event of its call before it. Receivers keep the one with the latest
 * time (docs/requirements.md#events), two may fall into one millisecond, and media's clock tells of moments that lie behind.
 */
async function momentOf(tx: Tx, callId: number, sequence: number, now: Date): Promise<Date> {
  if (sequence === 1) return now;
  const { _max: before } = await tx.event.aggregate({ where: { callId }, _max: { occurredAt: true } });
  return new Date(Math.max(now.getTime(), (before.occurredAt?.getTime() ?? 0) + 1));
}

/** Types of which each event belongs to one call. */
type EventTypeOfCall = CallEventType | 'recording.completed' | 'recording.failed';

export interface NewCallEvent<T extends EventTypeOfCall> {
  type: T;
  call: Pick<Call, 'id' | 'consumerId' | 'tenantId'>;
  tenantRef: string;
  /** Presented from the rows as the transaction leaves them. */
  data: z.input<(typeof eventData)[T]>;
  now: Date;
}

/** Records one event of a call, numbered among the events of that call. */
export async function recordCallEvent<T extends EventTypeOfCall>(
  tx: Tx,
  { type, call, tenantRef, data, now }: NewCallEvent<T>,
): Promise<void> {
  const { eventSequence } = await tx.call.update({
    where: { id: call.id },
    data: { eventSequence: { increment: 1 } },
    select: { eventSequence: true },
  });
  await recordEvent(tx, {
    type,
    data,
    consumerId: call.consumerId,
    tenant: { id: call.tenantId, ref: tenantRef },
    of: { callId: call.id, sequence: eventSequence },
    occurredAt: await momentOf(tx, call.id, eventSequence, now),
    now,
  });
}

export interface NewEvent<T extends RecordedEventType> {
  type: T;
  data: z.input<(typeof eventData)[T]>;
  consumerId: number;
  /** Null: it is about the account. */
  tenant: { id: number; ref: string } | null;
  of?: { callId: number; sequence: number };
  occurredAt: Date;
  now: Date;
}

/** Records an event of any kind: listed in any case, sent if the consumer has a URL and wants the type. Answers its `event_id`. */
export async function recordEvent<T extends RecordedEventType>(
  tx: Tx,
  event: NewEvent<T>,
): Promise<{ eventId: string }> {
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
  const consumer = await tx.consumer.findUniqueOrThrow({
    where: { id: consumerId },
    select: { webhookUrl: true, webhookEventTypes: true },
  });
  const wanted = isWanted(consumer, type);
  await tx.event.create({
    data: {
      eventId: envelope.event_id,
      consumerId,
      tenantId: tenant?.id ?? null,
      tenantRef: tenant?.ref ?? null,
      callId: of?.callId ?? null,
      type,
      sequence: of?.sequence ?? null,
      body: JSON.stringify(envelope),
      occurredAt,
      status: wanted ? 'PENDING' : 'DISCARDED',
      nextAttemptAt: wanted ? now : null,
    },
  });
  if (wanted) await enqueueDelivery(tx, { eventId: envelope.event_id, consumerId });
  return { eventId: envelope.event_id };
}
