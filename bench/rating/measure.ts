/**
 * Look-ups per second of one core: of the index by the CPU time of this process, of PostgreSQL by that of the connection's backend alone, without
 * the client's. Every way has to find the same entries.
 */
import { RateIndexes } from '@clarion/core/rate-index/rate-indexes';
import { loadIndex } from '@clarion/core/rate-index/load-index';
import type { DeckIndex } from '@clarion/core/rating/deck-index';
import { createDatabase, poolOf } from '@clarion/db';
import type { Database, SqlConnection } from '@clarion/db';
import { applyMigrations } from '@clarion/db/migrate';
import { startTemporaryPostgres } from '@clarion/devkit/postgres/server';
import { usageOf } from '../calls/processes.ts';
import { fillDeck } from './fill-deck.ts';
import type { FilledDeck } from './fill-deck.ts';
import { waysInSql } from './statements.ts';

export const MIN_RATIO = 20;
const NUMBERS = 20_000;
const BUILDS = 4;

export interface Plan {
  entries: number;
  /** Of each way. */
  seconds: number;
}

interface Speed {
  way: string;
  perCpuSecond: number;
  perSecond: number;
}

interface Build {
  ms: number;
  /** Of this process, without PostgreSQL. */
  cpuMs: number;
  longestBlockMs: number;
  /** Of the CPU time of its thread, without the time in which other processes ran. Linux counts it in steps of some milliseconds. */
  longestBlockCpuMs: number;
}

export interface RatingResult {
  entries: number;
  bytesPerEntry: number;
  builds: Build[];
  memory: Speed[];
  sql: Speed[];
}

export async function measureRating(
  { entries, seconds }: Plan,
  say: (line: string) => void,
): Promise<RatingResult> {
  const server = await startTemporaryPostgres();
  try {
    await applyMigrations(server.url);
    const db = createDatabase(server.url);
    say(`inserting ${entries} entries`);
    const deck = await fillDeck(db, entries, NUMBERS);
    const builds: Build[] = [];
    let index: DeckIndex | null = null;
    for (let i = 0; i < BUILDS; i += 1) {
      const { build, built } = await measureBuild(db, deck.deckId);
      builds.push(build);
      index = built;
      say(`build ${i + 1}: ${Math.round(build.ms)} ms`);
    }
    if (!index || index.rows !== entries) throw new Error('the index is not complete');
    const expected = deck.numbers.map((digits) => index.find(digits, Date.now())?.entryId ?? null);
    const memory = await measureMemory(db, index, deck, seconds * 1_000);
    const sql = await measureSql(db, { deck, expected, durationMs: seconds * 1_000, say });
    await db.$disconnect();
    return { entries, bytesPerEntry: index.bytes / index.rows, builds, memory, sql };
  } finally {
    await server.stop();
  }
}

/** The event loop runs nothing else, so the longest time between two of its turns is the longest block. */
async function measureBuild(
  db: Database,
  deckId: number,
): Promise<{ build: Build; built: DeckIndex | null }> {
  let longestBlockMs = 0;
  let longestBlockCpuMs = 0;
  let isOver = false;
  let turnAt = performance.now();
  let turnCpuMs = threadCpuMs();
  const turn = () => {
    const now = performance.now();
    const cpuMs = threadCpuMs();
    longestBlockMs = Math.max(longestBlockMs, now - turnAt);
    longestBlockCpuMs = Math.max(longestBlockCpuMs, cpuMs - turnCpuMs);
    turnAt = now;
    turnCpuMs = cpuMs;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const beganAt = performance.now();
  const cpuBefore = ownCpuSeconds();
  const built = await loadIndex(db, { deckId, since: new Date(), goOn: () => true });
  const ms = performance.now() - beganAt;
  const cpuMs = (ownCpuSeconds() - cpuBefore) * 1_000;
  isOver = true;
  turn();
  return { build: { ms, cpuMs, longestBlockMs, longestBlockCpuMs }, built };
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

async function measureMemory(
  db: Database,
  index: DeckIndex,
  { deckId, numbers }: FilledDeck,
  durationMs: number,
): Promise<Speed[]> {
  const now = Date.now();
  const direct = await speedOf('DeckIndex.find', ownCpuSeconds, durationMs, () => {
    for (const digits of numbers) index.find(digits, now);
  });
  const built = Promise.withResolvers<void>();
  const indexes = new RateIndexes(db, { isCurrent: () => true, onBuilt: () => built.resolve() });
  await indexes.find(deckId, '1', new Date());
  await built.promise;
  const at = new Date();
  const throughCache = await speedOf('RateIndexes.find, awaited', ownCpuSeconds, durationMs, async () => {
    for (const digits of numbers) await indexes.find(deckId, digits, at);
  });
  await indexes.close();
  return [direct, throughCache];
}

interface SqlRun {
  deck: FilledDeck;
  expected: readonly (number | null)[];
  durationMs: number;
  say: (line: string) => void;
}

async function measureSql(
  db: Database,
  { deck: { deckId, numbers }, expected, durationMs, say }: SqlRun,
): Promise<Speed[]> {
  const connection = await poolOf(db).connect();
  try {
    await connection.query('set max_parallel_workers_per_gather = 0');
    const pid = await backendOf(connection);
    const cpuSeconds = () => usageOf({ backend: pid })['backend']?.cpuSeconds ?? 0;
    const speeds: Speed[] = [];
    for (const [way, find] of Object.entries(waysInSql)) {
      const found = await find(connection, deckId, numbers); // also prepares the statement and fills the cache
      const differing = found.findIndex((id, i) => id !== expected[i]);
      if (differing !== -1 || found.length !== expected.length)
        throw new Error(`"${way}" finds another entry for ${numbers[differing]}`);
      say(way);
      speeds.push(
        await speedOf(way, cpuSeconds, durationMs, () =>
          find(connection, deckId, numbers).then(() => undefined),
        ),
      );
    }
    return speeds;
  } finally {
    connection.release();
  }
}

async function backendOf(connection: SqlConnection): Promise<number> {
  const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Repeats a round of all numbers. */
async function speedOf(
  way: string,
  cpuSeconds: () => number,
  durationMs: number,
  round: () => void | Promise<void>,
): Promise<Speed> {
  await round();
  const beganAt = performance.now();
  const cpuBefore = cpuSeconds();
  let found = 0;
  while (performance.now() - beganAt < durationMs) {
    await round();
    found += NUMBERS;
  }
  const seconds = (performance.now() - beganAt) / 1_000;
  return { way, perCpuSecond: found / (cpuSeconds() - cpuBefore), perSecond: found / seconds };
}

const best = (speeds: readonly Speed[]): number =>
  Math.max(...speeds.map(({ perCpuSecond }) => perCpuSecond));

/** Of the index as a process uses it, the slower of its two ways. */
export const ratioOf = ({ memory, sql }: RatingResult): number =>
  Math.min(...memory.map(({ perCpuSecond }) => perCpuSecond)) / best(sql);

export function ratingReport(result: RatingResult): string {
  const { entries, bytesPerEntry, builds, memory, sql } = result;
  const whole = (count: number) => Math.round(count).toLocaleString('en');
  const rows = [...memory, ...sql].map(
    ({ way, perCpuSecond, perSecond }) =>
      `${way.padEnd(68)} ${whole(perCpuSecond).padStart(12)} ${whole(perSecond).padStart(12)} ${(perCpuSecond / best(sql)).toFixed(1).padStart(8)}`,
  );
  return [
    `${whole(entries)} entries, ${bytesPerEntry.toFixed(1)} bytes each in memory`,
    ...builds.map(
      ({ ms, cpuMs, longestBlockMs, longestBlockCpuMs }, i) =>
        `build ${i + 1}: ${whole(ms)} ms, ${whole(cpuMs)} ms of CPU here, the event loop blocked for at most ${longestBlockMs.toFixed(1)} ms (${longestBlockCpuMs.toFixed(1)} ms of CPU)`,
    ),
    '',
    `${'look-ups'.padEnd(68)} ${'a CPU second'.padStart(12)} ${'a second'.padStart(12)} ${'ratio'.padStart(8)}`,
    ...rows,
  ].join('\n');
}
