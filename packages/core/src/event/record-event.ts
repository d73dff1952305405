/**
 * The outbox: an event is a row and a job in the transaction of the change that it tells of. The body's bytes are made
 * here, once, and POSTed unchanged on every attempt.
 */
import { randomUUID } from 'node:crypto';
import { apiVersion, eventData } from '@clarion/protocol';
import type { Envelope, RecordedEventType } from '@clarion/protocol';
import type { Call, Consumer, Tx } from '@clarion/db';
import { presentCall } from '../call/present.ts';
import { enqueueDelivery } from './enqueue-delivery.ts';

/** Whether this consumer wants this type sent at all; the event is recorded and listed either way. */
export function isWanted(
  consumer: Pick<Consumer, 'webhookUrl' | 'webhookEventTypes'>,
  type: string,
): boolean {
  if (!consumer.webhookUrl) return false;
  return !Array.isArray(consumer.webhookEventTypes) || consumer.webhookEventTypes.includes(type);
}

/**
 * When the event is said to have occurred: later than every event of its call before it. Receivers keep the one with the latest
 * time (spec, Delivery rules), two may fall into one millisecond, and media's clock tells of moments that lie behind.
 */
async function momentOf(tx: Tx, callId: number, sequence: number, now: Date): Promise<Date> {
  if (sequence === 1) return now;
  const { _max: before } = await tx.event.aggregate({ where: { callId }, _max: { occurredAt: true } });
  return new Date(Math.max(now.getTime(), (before.occurredAt?.getTime() ?? 0) + 1));
}

/** Records one event of a call. `call` is the row as the transaction leaves it. */
export async function recordCallEvent(
  tx: Tx,
  type: RecordedEventType,
  call: Call,
  tenantRef: string,
  now: Date,
): Promise<void> {
  const { eventSequence } = await tx.call.update({
    where: { id: call.id },
    data: { eventSequence: { increment: 1 } },
    select: { eventSequence: true },
  });
  const occurredAt = await momentOf(tx, call.id, eventSequence, now);
  const envelope: Envelope = {
    event_id: randomUUID(),
    event_type: type,
    data: eventData[type].parse({ call: presentCall(call, tenantRef, now) }),
    occurred_at: occurredAt.toISOString(),
    tenant_ref: tenantRef,
    api_version: apiVersion,
    sequence: eventSequence,
  };
  const consumer = await tx.consumer.findUniqueOrThrow({
    where: { id: call.consumerId },
    select: { webhookUrl: true, webhookEventTypes: true },
  });
  const wanted = isWanted(consumer, type);
  await tx.event.create({
    data: {
      eventId: envelope.event_id,
      consumerId: call.consumerId,
      tenantId: call.tenantId,
      tenantRef,
      callId: call.id,
      type,
      sequence: eventSequence,
      body: JSON.stringify(envelope),
      occurredAt,
      status: wanted ? 'PENDING' : 'DISCARDED',
      nextAttemptAt: wanted ? now : null,
    },
  });
  if (wanted) await enqueueDelivery(tx, { eventId: envelope.event_id, consumerId: call.consumerId });
}
