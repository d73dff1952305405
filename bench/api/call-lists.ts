/** Call lists with statistics over a million calls compared with ten thousand: time, plans, and what the tally costs when a call ends. */
import { randomBytes } from 'node:crypto';
import { cpus } from 'node:os';
import { callStats, countRows, statsOf } from '@clarion/core/call/call-stats';
import { selectCalls } from '@clarion/core/call/call-filter';
import { listCalls } from '@clarion/core/call/list-calls';
import type { Ctx } from '@clarion/core/context';
import { reportAgents } from '@clarion/core/report/agent-report';
import { reportCalls } from '@clarion/core/report/call-report';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { readStoreSettings } from '@clarion/store/settings';
import { createStore } from '@clarion/store/store';
import { createDatabase } from '@clarion/db';
import type { Consumer, Database } from '@clarion/db';
import { applyMigrations } from '@clarion/db/migrate';
import { listCallsQuery } from '@clarion/protocol/v1/call/calls';
import { callReportQuery } from '@clarion/protocol/v1/report/reports';
import pino from 'pino';
import { startTemporaryPostgres } from '@clarion/devkit/postgres/server';
import { makeHistory, settle } from './call-history.ts';
import type { History } from './call-history.ts';
import { combinations, filtersOf, sequentialScans } from './call-plans.ts';

const MANY = 1_000_000;
const FEW = 10_000;
/** Goal: a list with statistics over MANY calls takes at most this many times as long as the same list over FEW. */
const PROMISED_RATIO = 5;
const ROUNDS = 15;
const ENDS = 300;

const say = (line: string) => process.stderr.write(`… ${line}\n`);
const print = (line: string) => process.stdout.write(`${line}\n`);

/** The queries for both tenants, each with `stats=true` and 50 calls a page. The goal applies to the first three. */
const QUERIES: { what: string; query: Record<string, string> }[] = [
  { what: 'no filter, by cursor', query: {} },
  { what: 'no filter, page 1 with total', query: { page: '1' } },
  { what: 'the last 30 days', query: { from: daysAgo(30.2) } },
  { what: '100 days of last year, page 2', query: { from: daysAgo(300.4), to: daysAgo(200.1), page: '2' } },
  { what: 'one day of last year', query: { from: daysAgo(250), to: daysAgo(249) } },
  { what: 'direction', query: { direction: 'OUTBOUND' } },
  { what: 'status FAILED', query: { status: 'FAILED' } },
  { what: 'live', query: { live: 'true' } },
  { what: 'one line of 10', query: { channel_ref: 'line-3' } },
  { what: 'one queue of 5, 100 days', query: { queue_ref: 'queue-2', from: daysAgo(300), to: daysAgo(200) } },
  { what: 'one agent of 100', query: { agent_ref: 'agent-7' } },
  { what: 'one customer', query: { customer: '+442070000500' } },
  { what: 'one external_ref', query: { external_ref: 'order-5000' } },
  { what: 'a line and a queue', query: { channel_ref: 'line-3', queue_ref: 'queue-3' } },
  { what: 'an agent and a line (rows)', query: { agent_ref: 'agent-7', channel_ref: 'line-3' } },
  { what: 'the middle page', query: { page: 'middle' } },
];

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}

export async function run(): Promise<void> {
  const server = await startTemporaryPostgres();
  try {
    await applyMigrations(server.url);
    const db = createDatabase(server.url);
    try {
      await measure(db);
    } finally {
      await db.$disconnect();
    }
  } finally {
    await server.stop();
  }
}

async function measure(db: Database): Promise<void> {
  say(`${FEW.toLocaleString('en')} calls in one tenant, ${MANY.toLocaleString('en')} in another`);
  const few = await makeHistory(db, 'few', FEW);
  const many = await makeHistory(db, 'many', MANY);
  await settle(db);
  const consumer = await db.consumer.findUniqueOrThrow({ where: { slug: 'bench' } });
  const ctx = contextOf(db, consumer);
  print(
    `${ctx.now.toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}\n`,
  );
  print(
    `| list with stats=true | ${FEW.toLocaleString('en')} calls | ${MANY.toLocaleString('en')} calls | ratio |\n| --- | --- | --- | --- |`,
  );
  const slow: string[] = [];
  for (const { what, query } of QUERIES) {
    const small = await medianMs(ctx, few, FEW, query);
    const large = await medianMs(ctx, many, MANY, query);
    print(`| ${what} | ${small.toFixed(1)} ms | ${large.toFixed(1)} ms | ${(large / small).toFixed(1)} |`);
    if (large > PROMISED_RATIO * small) slow.push(what);
  }
  await check(ctx, many);
  await reports(ctx, many);
  say('plans of every combination of filters');
  const selections = combinations(many, await filtersOf(db, many, ctx.now));
  const scans = await sequentialScans(db, selections, ctx.now);
  print(
    `\n${selections.length} combinations × page, cursor and stats: ${scans.length} read the table in sequence`,
  );
  for (const scan of scans.slice(0, 5)) print(`  ${scan}`);
  await endings(db, many);
  if (slow.length > 0) print(`\nover ${PROMISED_RATIO} times: ${slow.join('; ')}`);
  if (scans.length > 0 || slow.includes(QUERIES[0]?.what ?? '')) process.exitCode = 1;
}

function contextOf(db: Database, consumer: Consumer): Ctx {
  const secrets = createSecretBox([randomBytes(32).toString('base64')]);
  const baseUrl = 'http://localhost';
  return {
    consumer,
    actor: { kind: 'job', id: 'bench' },
    surface: 'job',
    db,
    now: new Date(),
    log: pino({ level: 'silent' }),
    secrets,
    store: createStore(readStoreSettings({}), { secrets, baseUrl }),
    settings: { baseUrl, ingressDomain: null, allowPrivateEgress: false, operatorName: 'Operator' },
  };
}

const readQuery = (query: Record<string, string>, calls: number) =>
  listCallsQuery.parse({
    limit: '50',
    stats: 'true',
    ...query,
    ...(query['page'] === 'middle' && { page: String(Math.floor(calls / 100)) }),
  });

async function medianMs(
  ctx: Ctx,
  { tenantRef }: History,
  calls: number,
  query: Record<string, string>,
): Promise<number> {
  const read = readQuery(query, calls);
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const began = performance.now();
    await listCalls(ctx, tenantRef, read);
    // The first run warms the caches.
    if (round > 0) times.push(performance.now() - began);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

/** The tally must match a count of a million rows. */
async function check(ctx: Ctx, { tenantId }: History): Promise<void> {
  const tenant = await ctx.db.tenant.findUniqueOrThrow({ where: { id: tenantId } });
  const selection = await selectCalls(ctx, tenant, readQuery({ from: daysAgo(200.5) }, MANY));
  const began = performance.now();
  const counted = statsOf(await countRows(ctx, selection));
  const rowsMs = performance.now() - began;
  const told = await callStats(ctx, selection);
  if (JSON.stringify(told) !== JSON.stringify(counted))
    throw new Error('the statistics differ from a count of the rows');
  print(`\nthe tally equals a count of ${counted.total.toLocaleString('en')} rows (${rowsMs.toFixed(0)} ms)`);
}

/** Reports are counted from rows, so that they accept any threshold and time zone. They have no goal and are measured for information. */
async function reports(ctx: Ctx, { tenantRef }: History): Promise<void> {
  for (const days of [30, 365]) {
    const from = daysAgo(days);
    const read = callReportQuery.parse({ from, timezone: 'Europe/London' });
    const began = performance.now();
    const { totals } = await reportCalls(ctx, tenantRef, read);
    const half = performance.now();
    await reportAgents(ctx, tenantRef, { from: new Date(from), to: null });
    print(
      `reports of ${days} days, ${totals.total.toLocaleString('en')} calls: calls ${(half - began).toFixed(0)} ms, agents ${(performance.now() - half).toFixed(0)} ms`,
    );
  }
}

/** What the triggers add to the update that ends a call. */
async function endings(db: Database, { tenantId }: History): Promise<void> {
  const end = async () => {
    const rows = await db.call.findMany({
      where: { tenantId },
      orderBy: { id: 'desc' },
      take: ENDS * 2,
      select: { id: true },
    });
    const ids = rows.map(({ id }) => id);
    await db.call.updateMany({ where: { id: { in: ids } }, data: { status: 'IN_PROGRESS', endedAt: null } });
    const began = performance.now();
    for (const id of ids.slice(0, ENDS)) {
      await db.call.update({ where: { id }, data: { status: 'TERMINATED', endedAt: new Date() } });
    }
    return (performance.now() - began) / ENDS;
  };
  await end();
  const counting = await end();
  await db.$executeRaw`alter table "Call" disable trigger user`;
  const plain = await end();
  await db.$executeRaw`alter table "Call" enable trigger user`;
  print(`ending a call's row: ${counting.toFixed(2)} ms with the tally, ${plain.toFixed(2)} ms without`);
}
