/** Adds a sample history of two weeks to the demo account, so that every page shows data. One transaction. */
import { readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import type { Prisma } from '@clarion/db';
import { putBytes } from '@clarion/store/file-bytes';
import { recordingKey } from '@clarion/store/file-key';
import { removeFiles } from '@clarion/store/remove-files';
import type { StoredFile } from '@clarion/store/driver';
import { demo } from '@clarion/core/demo-account';
import { consumerOf, forConsumer } from '@clarion/core/consumer/operator';
import type { OperatorCtx } from '@clarion/core/consumer/operator';
import { inTransaction } from '@clarion/core/context';
import type { Ctx } from '@clarion/core/context';
import { CHANNEL_MAP } from '@clarion/core/recording/present';
import { auditRows } from './audit-rows.ts';
import { callRow, ivrRows, legRows, lifecycleRows, participantRows, transferRow } from './call-rows.ts';
import type { EntityIds } from './call-rows.ts';
import { eventRows } from './event-rows.ts';
import { assetsUrl, makeCast } from './make-cast.ts';
import { readManifest, writeManifest } from './manifest.ts';
import { demoRecordings, HISTORY_DAYS, planHistory } from './plan-calls.ts';
import type { HistoryPlan } from './plan-calls.ts';
import { DAY_MS, HOUR_MS } from './plan-shifts.ts';
import type { PlannedCall } from './plan.ts';
import { createRandom } from './random.ts';

const LIMITS = { timeout: 120_000 };
/** Rows per statement. */
const CHUNK = 500;
const SEED = 20_261;
/** The webhook's outage: three days ago, from 10:00 for an hour. */
const OUTAGE = { daysAgo: 3, hour: 10 };

export interface HistoryAdded {
  calls: number;
  recordings: number;
  events: number;
}

/** @throws Error if there is a sample history already; 404 without the demo account */
export async function addHistory(ctx: OperatorCtx, days = HISTORY_DAYS): Promise<HistoryAdded> {
  const own = forConsumer(ctx, await consumerOf(ctx, demo.slug));
  const files: StoredFile[] = [];
  try {
    return await inTransaction(own, (inner) => write(inner, days, files), LIMITS);
  } catch (error) {
    await removeFiles(ctx.store, files).catch(() => undefined);
    throw error;
  }
}

/** Whether `npm start` may add it: to a new account without calls, from which no sample history was deleted. */
export async function wantsHistory(ctx: OperatorCtx): Promise<boolean> {
  const { id } = await consumerOf(ctx, demo.slug);
  if (await readManifest(ctx.db, id)) return false;
  return (await ctx.db.call.findFirst({ where: { consumerId: id }, select: { id: true } })) === null;
}

async function write(ctx: Ctx, days: number, files: StoredFile[]): Promise<HistoryAdded> {
  const { db, consumer } = ctx;
  const before = await readManifest(db, consumer.id);
  if (before && before.calls.length > 0) {
    throw new Error('The demo account already has sample history. Remove it with `demo clear-history`.');
  }
  const { world, made } = await makeCast(ctx);
  const plan = planHistory(SEED, ctx.now.getTime(), days);
  const ids = await reserveIds(ctx, 'Call', plan.calls.length);
  const numbered = plan.calls.flatMap((call, i) => {
    const id = ids[i];
    return id === undefined ? [] : [{ call, id }];
  });
  const events = await writeCalls(ctx, world, numbered);
  const recordings = await writeRecordings(ctx, world, numbered, files);
  await writeUsage(ctx, ids);
  const shifts = await writeShifts(ctx, world, plan);
  const entries = auditRows(ctx, world, plan.calls, ids);
  const written = await db.auditEntry.createManyAndReturn({ data: entries, select: { id: true } });
  // The audit entries that the verbs above wrote in this run.
  const ofCast = await db.auditEntry.findMany({
    where: { consumerId: consumer.id, actorKind: ctx.actor.kind, actorId: String(ctx.actor.id), at: ctx.now },
    select: { id: true },
  });
  const auditEntries = [...written, ...ofCast].map(({ id }) => Number(id));
  await writeManifest(db, consumer.id, { ...made, calls: ids, shifts, auditEntries });
  return { calls: ids.length, recordings, events };
}

type Numbered = { call: PlannedCall; id: number }[];

async function writeCalls(ctx: Ctx, world: EntityIds, numbered: Numbered): Promise<number> {
  const { db } = ctx;
  const sessionIds = await reserveIds(ctx, 'IvrSession', numbered.length);
  const ivr = numbered.flatMap(({ call, id }, i) => ivrRows(world, call, id, sessionIds[i] ?? 0) ?? []);
  const rows = numbered.map(({ call, id }) => callRow(world, call, id));
  const today = Math.floor(ctx.now.getTime() / DAY_MS) * DAY_MS;
  const outageAt = today - OUTAGE.daysAgo * DAY_MS + OUTAGE.hour * HOUR_MS;
  const random = createRandom(SEED + 1);
  const events = numbered.flatMap(({ call }, i) => {
    const row = rows[i];
    return row ? eventRows(random, call, row, demo.tenantRef, outageAt) : [];
  });
  const eventsOf = Map.groupBy(events, ({ event }) => event.callId);
  await inChunks(rows, async (chunk) =>
    db.call.createMany({
      data: chunk.map(({ consumerMetadata, failureDetails, ...row }) => ({
        ...row,
        eventSequence: eventsOf.get(row.id)?.length ?? 0,
        ...(consumerMetadata !== null && { consumerMetadata }),
        ...(failureDetails !== null && { failureDetails }),
      })),
    }),
  );
  const all = <T>(of: (world: EntityIds, call: PlannedCall, id: number) => T[]): T[] =>
    numbered.flatMap(({ call, id }) => of(world, call, id));
  await inChunks(all(lifecycleRows), (data) => db.callLifecycle.createMany({ data }));
  await inChunks(all(participantRows), (data) => db.callParticipant.createMany({ data }));
  await inChunks(all(legRows), (data) => db.callLeg.createMany({ data }));
  await inChunks(all(transferRow), (data) => db.callTransfer.createMany({ data }));
  await inChunks(
    ivr.map(({ session }) => session),
    (data) => db.ivrSession.createMany({ data }),
  );
  await inChunks(
    ivr.flatMap(({ inputs }) => inputs),
    (data) => db.ivrInput.createMany({ data }),
  );
  await inChunks(
    events.map(({ event }) => event),
    (data) => db.event.createMany({ data }),
  );
  await writeAttempts(ctx, events);
  return events.length;
}

async function writeAttempts(
  { db }: Ctx,
  events: readonly ReturnType<typeof eventRows>[number][],
): Promise<void> {
  const stored = await db.event.findMany({
    where: { eventId: { in: events.map(({ event }) => event.eventId) } },
    select: { id: true, eventId: true },
  });
  const idOf = new Map(stored.map(({ id, eventId }) => [eventId, id]));
  const attempts = events.flatMap(({ event, attempts: made }) => {
    const eventRowId = idOf.get(event.eventId);
    return eventRowId === undefined ? [] : made.map((attempt) => ({ ...attempt, eventRowId }));
  });
  await inChunks(attempts, (data) => db.eventAttempt.createMany({ data }));
}

/** The same as record_call_usage of the database and recordRecordingUsage, in one statement and with the time of each call. */
async function writeUsage({ db }: Ctx, callIds: number[]): Promise<void> {
  await db.$executeRaw`
    insert into "UsageRecord" ("consumerId", "tenantId", "tenantRef", "callId", "kind", "direction", "channelType",
      "trunkOwner", "sipTrunkId", "seconds", "connectedSeconds", "startedAt", "pricedNumber", "createdAt")
    select c."consumerId", c."tenantId", t."ref", c."id", used.kind, c."direction", c."channelType",
      case when s."id" is null then null when s."consumerId" is null then 'PLATFORM' else 'CONSUMER' end, c."sipTrunkId",
      used.seconds, case when used.kind = 'CALL' then used.seconds else 0 end, c."createdAt",
      case when used.kind = 'CALL' then substring(case c."direction" when 'INBOUND' then l."address" else c."customerAddress" end from '^[+]?([0-9]{1,15})$') end,
      used.at
    from "Call" c join "Tenant" t on t."id" = c."tenantId" left join "SipTrunk" s on s."id" = c."sipTrunkId"
      left join "Channel" l on l."id" = c."channelId"
      left join "Recording" r on r."callId" = c."id" and r."status" = 'COMPLETED'
      cross join lateral (values
        ('CALL'::"UsageKind", coalesce(call_talk_seconds(c."answeredAt", c."endedAt"), 0)::int, c."endedAt"),
        ('RECORDING'::"UsageKind", r."durationSeconds", r."completedAt")) used(kind, seconds, at)
    where c."id" = any(${callIds}::int[]) and used.at is not null`;
}

/** How long it took to encode a recording. */
const PROCESSING_MS = 4_000;

async function writeRecordings(
  { db, store }: Ctx,
  world: EntityIds,
  numbered: Numbered,
  files: StoredFile[],
): Promise<number> {
  const data: Prisma.RecordingCreateManyInput[] = [];
  for (const { call, id } of numbered) {
    const known = demoRecordings.find(({ name }) => name === call.recording);
    if (!known || store.provider === null) continue;
    const bytes = readFileSync(new URL(`${known.name}.ogg`, assetsUrl));
    const file = await putBytes(store, recordingKey(world.tenantId, id, randomUUID()), bytes);
    files.push(file);
    data.push({
      callId: id,
      status: 'COMPLETED',
      storageProvider: file.provider,
      storageKey: file.key,
      sizeBytes: bytes.length,
      durationSeconds: Math.round(known.durationMs / 1000),
      channelMap: CHANNEL_MAP,
      createdAt: new Date(call.answeredAt ?? call.createdAt),
      completedAt: new Date(call.endedAt + PROCESSING_MS),
    });
  }
  await db.recording.createMany({ data });
  return data.length;
}

async function writeShifts({ db }: Ctx, world: EntityIds, { shifts }: HistoryPlan): Promise<number[]> {
  const rows = await db.agentShift.createManyAndReturn({
    data: shifts.map(({ agentRef, startedAt, endedAt }) => ({
      agentId: world.agents[agentRef],
      startedAt: new Date(startedAt),
      endedAt: new Date(endedAt),
    })),
    select: { id: true },
  });
  return rows.map(({ id }) => Number(id));
}

/** Reserved IDs in ascending order. */
async function reserveIds({ db }: Ctx, table: 'Call' | 'IvrSession', count: number): Promise<number[]> {
  const rows = await db.$queryRaw<{ id: number }[]>`
    select nextval(pg_get_serial_sequence(${`"${table}"`}, 'id'))::int as id from generate_series(1, ${count}::int)`;
  return rows.map(({ id }) => id).toSorted((a, b) => a - b);
}

async function inChunks<T>(rows: readonly T[], write: (chunk: T[]) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < rows.length; at += CHUNK) await write(rows.slice(at, at + CHUNK));
}
