/**
 * Records an event as a row, with its delivery, in the transaction of the change that it describes. The bytes of the body are created here,
 * once, and POSTed unchanged at every attempt.
 */
import { randomUUID } from 'node:crypto';
import { apiVersion, eventData } from '@clarion/protocol';
import type { CallEventType, Envelope, EventType } from '@clarion/protocol';
import type { z } from 'zod';
import type { Call, Tx } from '@clarion/db';
import { markRecorded } from '../announce-deliveries.ts';

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
  const { sequence, occurredAt } = await nextOfCall(tx, call.id, now);
  await recordEvent(tx, {
    type,
    data,
    consumerId: call.consumerId,
    tenant: { id: call.tenantId, ref: tenantRef },
    of: { callId: call.id, sequence },
    occurredAt,
    now,
  });
}

/**
 * The event's number within its call, and its time: later than that of every earlier event of the call. Receivers keep the event with the
 * latest time (docs/requirements.md#events), two events may occur in one millisecond, and media's clock may be behind.
 */
async function nextOfCall(
  tx: Tx,
  callId: number,
  now: Date,
): Promise<{ sequence: number; occurredAt: Date }> {
  const [next] = await tx.$queryRaw<{ sequence: number; occurredAt: Date }[]>`
    update "Call" set "eventSequence" = "eventSequence" + 1 where "id" = ${callId}
    returning "eventSequence" as "sequence", greatest(${now}::timestamptz(3), (
      select max("occurredAt") + interval '1 millisecond' from "Event" where "callId" = ${callId}
    )) as "occurredAt"`;
  if (!next) throw new Error(`call ${callId} does not exist`);
  return next;
}

export interface NewEvent<T extends EventType> {
  type: T;
  data: z.input<(typeof eventData)[T]>;
  consumerId: number;
  /** Null: it concerns the account. */
  tenant: { id: number; ref: string } | null;
  of?: { callId: number; sequence: number };
  occurredAt: Date;
  now: Date;
}

/** An element of the array that the SQL function `record_events(jsonb)` expects. It decides which events are delivered. */
export interface EventToRecord {
  eventId: string;
  consumerId: number;
  tenantId: number | null;
  tenantRef: string | null;
  callId: number | null;
  type: EventType;
  sequence: number | null;
  /** The bytes to POST. */
  body: string;
  /** Both in ISO 8601. */
  occurredAt: string;
  dueAt: string;
}

/** The row of an event, with the bytes of its body. It is recorded by `record_events`, alone or with others in a larger statement. */
export function eventToRecord<T extends EventType>(event: NewEvent<T>): EventToRecord {
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
  return {
    eventId: envelope.event_id,
    consumerId,
    tenantId: tenant?.id ?? null,
    tenantRef: tenant?.ref ?? null,
    callId: of?.callId ?? null,
    type,
    sequence: of?.sequence ?? null,
    body: JSON.stringify(envelope),
    occurredAt: occurredAt.toISOString(),
    dueAt: now.toISOString(),
  };
}

/** Records an event of any kind. It is always listed, and sent if the consumer has a URL and wants the type. Returns its `event_id`. */
export async function recordEvent<T extends EventType>(
  tx: Tx,
  event: NewEvent<T>,
): Promise<{ eventId: string }> {
  const row = eventToRecord(event);
  await tx.$executeRaw`select record_events(${JSON.stringify([row])}::jsonb)`;
  markRecorded(tx);
  return { eventId: row.eventId };
}
