/**
 * Records an event as a row and a job, in the transaction of the change that it describes. Those of a call's step are recorded by the
 * statement that commits it (call-engine/history).
 */
import type { CallEventType, eventData, RecordedEventType } from '@clarion/protocol';
import type { z } from 'zod';
import type { Call, Tx } from '@clarion/db';
import { enqueueDelivery } from './enqueue-delivery.ts';
import { eventRow } from './event-row.ts';
import type { NewEvent } from './event-row.ts';

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

/** Records an event of any kind. It is always listed, and sent if the consumer has a URL and wants the type. Returns its `event_id`. */
export async function recordEvent<T extends RecordedEventType>(
  tx: Tx,
  event: NewEvent<T>,
): Promise<{ eventId: string }> {
  const { consumerId } = event;
  const consumer = await tx.consumer.findUniqueOrThrow({
    where: { id: consumerId },
    select: { webhookUrl: true, webhookEventTypes: true },
  });
  const { flag: _, ...row } = eventRow(event, consumer);
  await tx.event.create({ data: row });
  if (row.status === 'PENDING') await enqueueDelivery(tx, { eventId: row.eventId, consumerId });
  return { eventId: row.eventId };
}
