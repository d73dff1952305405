/**
 * The rows that connect a call at Meta with a call of ours, for the engine. Every function runs in the caller's transaction, so that what
 * the engine does with a fact commits together with the record that the fact was taken.
 */
import type { Prisma, Tx } from '@clarion/db';
import { storedWhatsAppCall } from '@clarion/protocol/v1/tenant/whatsapp';
import { z } from 'zod';
import {
  advance,
  isUndecided,
  noProgress,
  timeOf,
  UNDECIDED_END_MS,
} from '../whatsapp-graph/call-progress.ts';
import type { CallProgress, ProgressEvent, WhatsAppFact } from '../whatsapp-graph/call-progress.ts';
import { recordCallFacts } from './call-permission.ts';
import { callIdOfOpaque } from './opaque.ts';

/** A call at Meta. */
export interface MetaCall {
  channelId: number;
  whatsAppCallId: string;
}

/**
 * Must succeed before a connect request is sent: after a crash the request is not repeated, because the customer's phone would ring twice.
 * The ID then follows from a webhook, which contains `opaqueOf(callId)`.
 *
 * @returns false if the call was claimed before
 */
export async function claimConnect(tx: Tx, channelId: number, callId: number): Promise<boolean> {
  const progress = jsonOf({ ...noProgress, direction: 'BUSINESS_INITIATED' });
  const rows = await tx.whatsAppCall.createMany({
    data: [{ channelId, callId, progress }],
    skipDuplicates: true,
  });
  return rows.count === 1;
}

/**
 * Stores the ID in the response to a connect request. A webhook of the call may have arrived before.
 *
 * @returns whether the row exists: it is deleted with its call
 */
export async function bindConnected(tx: Tx, callId: number, whatsAppCallId: string): Promise<boolean> {
  const rows = await tx.whatsAppCall.updateMany({ where: { callId }, data: { whatsAppCallId } });
  return rows.count === 1;
}

/**
 * Locks the row of a customer's call until the transaction ends, so that only one call of ours is made of it.
 *
 * @returns null if the row is gone: the customer was erased, or the line deleted
 */
export async function lockUnbound(
  tx: Tx,
  { channelId, whatsAppCallId }: MetaCall,
): Promise<{ callId: number | null } | null> {
  const [row] = await tx.$queryRaw<{ callId: number | null }[]>`
    select "callId" from "WhatsAppCall"
    where "channelId" = ${channelId} and "whatsAppCallId" = ${whatsAppCallId} for update`;
  return row ?? null;
}

/** Stores which call of ours a customer's call has become. */
export async function bindInbound(
  tx: Tx,
  { channelId, whatsAppCallId }: MetaCall,
  callId: number,
): Promise<void> {
  await tx.whatsAppCall.update({
    where: { channelId_whatsAppCallId: { channelId, whatsAppCallId } },
    data: { callId },
  });
}

/** none: the customer's call was not accepted yet. pending: the request may have been sent. */
export type AcceptState = 'none' | 'pending' | 'accepted';

/** The call at Meta of a call of ours. */
export interface BoundCall {
  channelId: number;
  /** Null: the call is being placed, and its ID is not known yet. */
  whatsAppCallId: string | null;
  direction: NonNullable<CallProgress['direction']>;
  accept: AcceptState;
  /** Meta has reported the end of the call. */
  isOver: boolean;
}

interface BoundRow {
  channelId: number;
  whatsAppCallId: string | null;
  progress: unknown;
  acceptSentAt: Date | null;
  acceptedAt: Date | null;
}

const boundColumns = {
  channelId: true,
  whatsAppCallId: true,
  progress: true,
  acceptSentAt: true,
  acceptedAt: true,
} satisfies Prisma.WhatsAppCallSelect;

/** Null: not a WhatsApp call, or nothing was requested from Meta and no webhook arrived. */
export async function metaCallOf(db: Tx, callId: number): Promise<BoundCall | null> {
  const row = await db.whatsAppCall.findUnique({ where: { callId }, select: boundColumns });
  return row && presentBound(row);
}

function presentBound({
  channelId,
  whatsAppCallId,
  progress,
  acceptSentAt,
  acceptedAt,
}: BoundRow): BoundCall {
  const { direction, terminated } = storedProgress.parse(progress);
  return {
    channelId,
    whatsAppCallId,
    direction: direction ?? 'USER_INITIATED',
    isOver: terminated !== null,
    accept: acceptedAt !== null ? 'accepted' : acceptSentAt !== null ? 'pending' : 'none',
  };
}

/**
 * Must succeed before an accept request is sent: it is not repeated after a crash, and a call that we are ending is not accepted.
 *
 * @returns false if the call was claimed before, or is being ended
 */
export async function claimAccept(db: Tx, callId: number, now: Date): Promise<boolean> {
  const rows = await db.whatsAppCall.updateMany({
    where: { callId, acceptSentAt: null, endSentAt: null },
    data: { acceptSentAt: now },
  });
  return rows.count === 1;
}

/** Meta has confirmed the accept request. */
export async function markAccepted(db: Tx, callId: number, now: Date): Promise<void> {
  await db.whatsAppCall.updateMany({ where: { callId, acceptedAt: null }, data: { acceptedAt: now } });
}

/** A request that ends a call at Meta, its repetition included, is answered or given up within this time. */
const END_REQUEST_MS = 20_000;

/**
 * To be called before the call is ended at Meta. From then on it is not accepted any more, so that the returned state decides whether it is
 * rejected (`none`) or terminated.
 *
 * @returns null if there is nothing to end at Meta, or another request is ending it. A call whose ID is not known yet is ended by the
 * process that placed it, or when a webhook names it.
 */
export async function claimEnd(db: Tx, callId: number, now: Date): Promise<BoundCall | null> {
  const before = new Date(now.getTime() - END_REQUEST_MS);
  const [row] = await db.$queryRaw<BoundRow[]>`
    update "WhatsAppCall" set "endSentAt" = ${now}
    where "callId" = ${callId} and "whatsAppCallId" is not null
      and ("endSentAt" is null or "endSentAt" < ${before})
    returning "channelId", "whatsAppCallId", "progress", "acceptSentAt", "acceptedAt"`;
  const bound = row && presentBound(row);
  return bound && !bound.isOver ? bound : null;
}

export interface TakenFacts {
  /** Null: no call of ours yet. */
  callId: number | null;
  facts: WhatsAppFact[];
  /** When the first of the events arrived; null: there was none. */
  since: Date | null;
  /** When `settleCall` is due, if the end of the call is undecided. */
  settleAt: Date | null;
  direction: CallProgress['direction'];
  /** When the call ended, if a webhook has just reported it. */
  endedAt: Date | null;
  /** The event of the customer's call that began, if one of the facts is `began`. */
  began: {
    customerAddress: string | null;
    name: string | null;
    occurredAt: Date | null;
    receivedAt: Date;
  } | null;
}

interface UntakenEvent {
  id: bigint;
  payload: unknown;
  customerAddress: string | null;
  occurredAt: Date | null;
  receivedAt: Date;
}

/**
 * Applies every event of a call that was not applied yet, in the order of arrival. Concurrent runs wait for one another, so that each fact
 * is returned once. Outcomes of calls are also recorded in the permission ledger.
 */
export async function takeCallEvents(tx: Tx, call: MetaCall, now: Date): Promise<TakenFacts> {
  const { channelId, whatsAppCallId } = call;
  const row = await lockCall(tx, call);
  const events = await tx.$queryRaw<UntakenEvent[]>`
    update "WhatsAppEvent" set "takenAt" = ${now}
    where "channelId" = ${channelId} and "whatsAppCallId" = ${whatsAppCallId} and "takenAt" is null
    returning "id", "payload", "customerAddress", "occurredAt", "receivedAt"`;
  const facts: WhatsAppFact[] = [];
  let began: TakenFacts['began'] = null;
  let endedAt: Date | null = null;
  let { progress } = row;
  for (const event of events.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    // An erased event is an empty object.
    const payload = storedWhatsAppCall.safeParse(event.payload).data;
    if (!payload) continue;
    const next = advance(progress, payload);
    progress = next.progress;
    facts.push(...next.facts);
    if (next.facts.some(({ kind }) => kind === 'ended')) endedAt = timeOf(event);
    if (next.facts.some(({ kind }) => kind === 'began')) {
      const { customerAddress, occurredAt, receivedAt } = event;
      began = { customerAddress, name: payload.name, occurredAt, receivedAt };
    }
  }
  const settleAt = await storeProgress(tx, row.id, progress, now);
  if (row.callId !== null) await recordCallFacts(tx, row.callId, { facts, progress }, now);
  const since = events.reduce<Date | null>(earlier, null);
  return { callId: row.callId, facts, since, settleAt, direction: progress.direction, endedAt, began };
}

const earlier = (since: Date | null, { receivedAt }: UntakenEvent) =>
  since !== null && since < receivedAt ? since : receivedAt;

/** Reports the end of a call whose status REJECTED did not arrive in time. Due calls: `settleAt`. */
export async function settleCall(tx: Tx, call: MetaCall, now: Date): Promise<TakenFacts> {
  const row = await lockCall(tx, call);
  const settle: ProgressEvent = { event: 'settle' };
  const due = row.settleAt !== null && row.settleAt <= now;
  const { progress, facts } = due ? advance(row.progress, settle) : { progress: row.progress, facts: [] };
  const settleAt = due ? await storeProgress(tx, row.id, progress, now) : row.settleAt;
  if (row.callId !== null) await recordCallFacts(tx, row.callId, { facts, progress }, now);
  const { direction } = progress;
  return { callId: row.callId, facts, since: null, settleAt, direction, endedAt: null, began: null };
}

interface LockedCall {
  id: number;
  callId: number | null;
  progress: CallProgress;
  settleAt: Date | null;
}

const jsonOf = (progress: CallProgress): Prisma.InputJsonObject => JSON.parse(JSON.stringify(progress));
const storedProgress = z.custom<CallProgress>((value) => typeof value === 'object' && value !== null);

/** Creates the row, or gives the ID to the row of a call that is being placed. */
async function lockCall(tx: Tx, { channelId, whatsAppCallId }: MetaCall): Promise<LockedCall> {
  const find = () => tx.$queryRaw<LockedCall[]>`
    select "id", "callId", "progress", "settleAt" from "WhatsAppCall"
    where "channelId" = ${channelId} and "whatsAppCallId" = ${whatsAppCallId} for update`;
  let [row] = await find();
  if (!row) {
    await nameOrCreate(tx, { channelId, whatsAppCallId });
    [row] = await find();
  }
  if (!row) throw new Error('the row of the WhatsApp call was deleted');
  return { ...row, progress: storedProgress.parse(row.progress) };
}

async function nameOrCreate(tx: Tx, call: MetaCall): Promise<void> {
  const { channelId, whatsAppCallId } = call;
  const callId = await callIdFromEvents(tx, call);
  if (callId !== null) {
    const named = await tx.whatsAppCall.updateMany({
      where: { channelId, callId, whatsAppCallId: null },
      data: { whatsAppCallId },
    });
    if (named.count > 0) return;
  }
  await tx.whatsAppCall.createMany({
    data: [{ channelId, whatsAppCallId, progress: jsonOf(noProgress) }],
    skipDuplicates: true,
  });
}

/** The call of ours that the opaque data of its webhooks names. */
async function callIdFromEvents(tx: Tx, { channelId, whatsAppCallId }: MetaCall): Promise<number | null> {
  const rows = await tx.$queryRaw<{ opaque: string }[]>`
    select distinct "payload" ->> 'opaqueData' as opaque from "WhatsAppEvent"
    where "channelId" = ${channelId} and "whatsAppCallId" = ${whatsAppCallId}
      and "payload" ->> 'opaqueData' is not null`;
  for (const { opaque } of rows) {
    const callId = callIdOfOpaque(opaque);
    if (callId !== null) return callId;
  }
  return null;
}

/** @returns when the call is to be settled */
async function storeProgress(tx: Tx, id: number, progress: CallProgress, now: Date): Promise<Date | null> {
  const settleAt = isUndecided(progress) ? new Date(now.getTime() + UNDECIDED_END_MS) : null;
  await tx.whatsAppCall.update({ where: { id }, data: { progress: jsonOf(progress), settleAt } });
  return settleAt;
}
