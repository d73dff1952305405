/**
 * Records an event as a row and a job, in the transaction of the change that it describes. The bytes of the body are created here, once,
 * and POSTed unchanged at every attempt.
 */
import { randomUUID } from 'node:crypto';
import { apiVersion, eventData } from '@clarion/protocol';
import type { CallEventType, Envelope, RecordedEventType } from '@clarion/protocol';
import type { z } from 'zod';
import type { Call, Consumer, Tx } from '@clarion/db';
import { enqueueDelivery } from './enqueue-delivery.ts';

/** Whether the consumer wants this type to be sent. The event is recorded and listed either way. */
export function isWanted(
  consumer: Pick<Consumer, 'webhookUrl' | 'webhookEventTypes'>,
  type: string,
): boolean {
  if (!consumer.webhookUrl) return false;
  // A test event was requested explicitly, so it is always sent.
  if (type === 'webhook.test') return true;
  return !Array.isArray(consumer.webhookEventTypes) || consumer.webhookEventTypes.includes(type);
}

/**
 * The event's time: later than that of every earlier event of its call. Receivers keep the event with the latest time
 * (docs/requirements.md#events), two events may occur in one millisecond, and media's clock may be behind.
 */
async function momentOf(tx: Tx, callId: number, sequence: number, now: Date): Promise<Date> {
  if (sequence === 1) return now;
  const { _max: before } = await tx.event.aggregate({ where: { callId }, _max: { occurredAt: true } });
  return new Date(Math.max(now.getTime(), (before.occurredAt?.getTime() ?? 0) + 1));
}

/** Event types that always belong to one call. */
type EventTypeOfCall = CallEventType | 'recording.completed' | 'recording.failed';

export interface NewCallEvent<T extends EventTypeOfCall> {
  type: T;
  call: Pick<Call, 'id' | 'consumerId' | 'tenantId'>;
  tenantRef: string;
  /** Presented from the rows at this point of the transaction. */
  data: z.input<(typeof eventData)[T]>;
  now: Date;
}

/** Records one event of a call, numbered within the call. */
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
  /** Null: it concerns the account. */
  tenant: { id: number; ref: string } | null;
  of?: { callId: number; sequence: number };
  occurredAt: Date;
  now: Date;
}

/** Records an event of any kind. It is always listed, and sent if the consumer has a URL and wants the type. Returns its `event_id`. */
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
