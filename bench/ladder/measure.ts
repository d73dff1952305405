/**
 * CPU per call that the ladder adds, as the difference between calls with and without it: in media (capture, masking, compression), in
 * realtime (reading and storing) and in PostgreSQL. The messages are those of a real call; the rest of the call costs the same either way
 * and is left out, so that the difference is not lost in its noise.
 */
import { readFileSync } from 'node:fs';
import { storeCallLadders } from '@clarion/core/ladder/store-ladders';
import { createDatabase, type Database } from '@clarion/db';
import { applyMigrations } from '@clarion/db/migrate';
import { startTemporaryPostgres } from '@clarion/devkit/postgres/server';
import { ladderMessages, type LadderMessage } from '@clarion/protocol/ladder';
import pino from 'pino';
import { LadderSender } from '../../apps/media/src/ladder/ladder-sender.ts';
import { Ladders } from '../../apps/media/src/ladder/ladders.ts';
import { usageOf } from '../calls/processes.ts';
import { play, recordCall, type RecordedCall } from './recorded-call.ts';

export const MAX_MS_PER_CALL = 1;
/** Calls that end at about the same time, as at 100 calls a second. */
const CALLS_PER_BATCH = 20;

export interface Plan {
  calls: number;
  rounds: number;
}

/** Milliseconds of CPU per call. */
export interface Round {
  media: number;
  realtime: number;
  database: number;
  /** As stored, in bytes. */
  bytes: number;
}

export async function measureLadder(
  { calls, rounds: count }: Plan,
  say: (line: string) => void,
): Promise<Round[]> {
  const recorded = await recordCall();
  say(`recorded a call with ${recorded.steps.filter((step) => step.do === 'frame').length} SIP messages`);
  const postgres = await startTemporaryPostgres();
  await applyMigrations(postgres.url);
  const db = createDatabase(postgres.url);
  const first = await addCalls(db, calls * (count + 1));
  const rounds: Round[] = [];
  // The first round compiles the code and is not counted.
  for (let round = 0; round <= count; round += 1) {
    const { messages, mediaMs } = await media(recorded, first + round * calls, calls);
    const stored = await store(db, messages);
    const bytes = messages.reduce((sum, { data }) => sum + Buffer.byteLength(data, 'base64'), 0) / calls;
    const figures = {
      media: mediaMs / calls,
      realtime: stored.ownMs / calls,
      database: stored.databaseMs / calls,
      bytes,
    };
    if (round > 0) rounds.push(figures);
    say(
      `round ${round}: media ${ms(figures.media)}, realtime ${ms(figures.realtime)}, database ${ms(figures.database)}`,
    );
  }
  const rows = await db.callLadder.count();
  if (rows !== calls * (count + 1)) throw new Error(`${rows} ladders are stored`);
  await db.$disconnect();
  await postgres.stop();
  return rounds;
}

/** Captures and finishes the ladders of `calls` calls. */
async function media(recorded: RecordedCall, first: number, calls: number) {
  const messages: LadderMessage[] = [];
  const sender = new LadderSender({
    deliver: async (ladders) => {
      messages.push(...ladders);
      return true;
    },
    nowMs: () => performance.now(),
    log: pino({ level: 'silent' }),
  });
  const ladders = new Ladders({
    nowMs: () => performance.now(),
    isLive: () => true,
    onFinished: (ladder) => sender.add(ladder),
  });
  const before = ownCpuMs();
  for (let at = 0; at < calls; at += CALLS_PER_BATCH) {
    for (let call = at; call < Math.min(calls, at + CALLS_PER_BATCH); call += 1)
      play(recorded, ladders, first + call);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await sender.flush();
  const mediaMs = ownCpuMs() - before;
  if (messages.length !== calls) throw new Error(`${messages.length} of ${calls} ladders were finished`);
  return { messages, mediaMs };
}

/** Reads the messages as realtime receives them, and stores them. */
async function store(db: Database, messages: readonly LadderMessage[]) {
  const postmaster = await postmasterOf(db);
  const databaseMs = () => (usageOf({ database: postmaster })['database']?.cpuSeconds ?? 0) * 1_000;
  const batches = Array.from({ length: Math.ceil(messages.length / CALLS_PER_BATCH) }, (_, index) =>
    JSON.stringify(messages.slice(index * CALLS_PER_BATCH, (index + 1) * CALLS_PER_BATCH)),
  );
  const before = { own: ownCpuMs(), database: databaseMs() };
  for (const batch of batches) {
    const ladders = ladderMessages.parse(JSON.parse(batch));
    const parts = ladders.map(({ callId, ladderId, at, data }) => ({
      ladderId,
      callId: callId ?? 0,
      startedAt: new Date(at),
      data,
    }));
    await storeCallLadders(db, parts, new Date());
  }
  return { ownMs: ownCpuMs() - before.own, databaseMs: databaseMs() - before.database };
}

/** With the threads that compress. */
function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function postmasterOf(db: Database): Promise<number> {
  const [row] = await db.$queryRaw<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const stat = readFileSync(`/proc/${row?.pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** @returns the ID of the first */
async function addCalls(db: Database, count: number): Promise<number> {
  const { id: consumerId } = await db.consumer.create({ data: { slug: 'bench', name: 'bench' } });
  const { id: tenantId } = await db.tenant.create({ data: { consumerId, ref: 'bench', name: 'bench' } });
  await db.$executeRaw`
    insert into "Call" ("consumerId", "tenantId", "direction", "status", "channelRef", "channelType", "customerAddress", "customerAddressType")
    select ${consumerId}, ${tenantId}, 'INBOUND', 'TERMINATED', 'main', 'SIP', '+442079460123', 'PHONE_NUMBER'
    from generate_series(1, ${count})`;
  const first = await db.call.findFirstOrThrow({ orderBy: { id: 'asc' } });
  return first.id;
}

const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;
const ms = (value: number): string => `${value.toFixed(3)} ms`;

export const totalOf = (rounds: readonly Round[]): number =>
  mean(rounds.map(({ media: own, realtime, database }) => own + realtime + database));

export function ladderReport(rounds: readonly Round[]): string {
  const row = (label: string, value: (round: Round) => number) => {
    const values = rounds.map(value);
    return `| ${label} | ${ms(mean(values))} | ${ms(Math.min(...values))} to ${ms(Math.max(...values))} |`;
  };
  return [
    '| CPU per call that the ladder adds | mean | rounds |',
    '| --- | --- | --- |',
    row('media: capture, mask, compress', ({ media: own }) => own),
    row('realtime: read and store', ({ realtime }) => realtime),
    row('PostgreSQL', ({ database }) => database),
    row('**together**', ({ media: own, realtime, database }) => own + realtime + database),
    '',
    `Stored: ${Math.round(mean(rounds.map(({ bytes }) => bytes)))} bytes per call.`,
  ].join('\n');
}
