/** Removes what calls leave besides their rows, for many calls at a time. Each function runs in the caller's transaction. */
import type { Tx } from '@clarion/db';
import { removeWhatsAppCalls } from '../../whatsapp/erase-whatsapp.ts';
import { redactStoredAnswers } from './stored-answers.ts';

/**
 * Common to deleting and erasing a call: its events with pending deliveries, its lifecycle log, its SIP ladder, its recording's row, what
 * WhatsApp reported about it, the number in its usage, and the customer in stored responses and in commands that were never run.
 */
export async function removeTraces(
  tx: Tx,
  callIds: readonly number[],
): Promise<{ events: number; recordings: number }> {
  // A trigger deletes their deliveries: the order in which a worker locks the two.
  const events = await tx.$executeRaw`delete from "Event" where "callId" = any(${callIds}::int[])`;
  await tx.$executeRaw`delete from "CallLifecycle" where "callId" = any(${callIds}::int[])`;
  await tx.$executeRaw`delete from "CallLadder" where "callId" = any(${callIds}::int[])`;
  const recordings = await tx.$executeRaw`delete from "Recording" where "callId" = any(${callIds}::int[])`;
  await redactStoredAnswers(tx, callIds);
  await removeWhatsAppCalls(tx, callIds);
  // The prices stay; nothing that prices them again, or tells who was called.
  await tx.$executeRaw`
    update "UsageRecord" set "pricedNumber" = null, "numberErased" = true
    where "callId" = any(${callIds}::int[]) and "kind" = 'CALL'`;
  // The rest of a call's outbox releases its legs and contains no number.
  await tx.$executeRaw`
    delete from "EngineOutbox" where "callId" = any(${callIds}::int[])
      and "effects" @? '$[*] ? (@.order.command == "carrier:dial")'`;
  return { events, recordings };
}

export interface Removed {
  calls: number;
  recordings: number;
  events: number;
}
export const nothingRemoved: Removed = { calls: 0, recordings: 0, events: 0 };
export const plus = (a: Removed, b: Removed): Removed => ({
  calls: a.calls + b.calls,
  recordings: a.recordings + b.recordings,
  events: a.events + b.events,
});

/** Deletes ended calls with everything that belongs to them. Its usage records stay, without the number. */
export async function deleteCallRows(tx: Tx, callIds: readonly number[]): Promise<Removed> {
  const traces = await removeTraces(tx, callIds);
  // Explicit statements, because cascades would run row by row.
  await tx.$executeRaw`
    delete from "IvrInput" i using "IvrSession" s
    where s."id" = i."ivrSessionId" and s."callId" = any(${callIds}::int[])`;
  await tx.$executeRaw`delete from "IvrSession" where "callId" = any(${callIds}::int[])`;
  await tx.$executeRaw`delete from "CallTransfer" where "callId" = any(${callIds}::int[])`;
  await tx.$executeRaw`delete from "CallParticipant" where "callId" = any(${callIds}::int[])`;
  await tx.$executeRaw`delete from "CallLeg" where "callId" = any(${callIds}::int[])`;
  const calls = await tx.$executeRaw`delete from "Call" where "id" = any(${callIds}::int[])`;
  return { calls, ...traces };
}

/** Erases the customer from ended calls. The calls stay and count in every report. */
export async function eraseCallRows(tx: Tx, callIds: readonly number[]): Promise<Removed> {
  const traces = await removeTraces(tx, callIds);
  await tx.$executeRaw`
    delete from "IvrInput" i using "IvrSession" s
    where s."id" = i."ivrSessionId" and s."callId" = any(${callIds}::int[])`;
  await tx.$executeRaw`update "CallLeg" set "stats" = null where "callId" = any(${callIds}::int[])`;
  const calls = await tx.$executeRaw`
    update "Call" set "customerAddress" = null, "customerName" = null, "externalRef" = null,
      "consumerMetadata" = null, "failureDetails" = null
    where "id" = any(${callIds}::int[])`;
  return { calls, ...traces };
}
