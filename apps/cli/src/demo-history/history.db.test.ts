import { existsSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { selectCalls } from '@clarion/core/call/call-filter';
import { countCells, countRows, statsOf } from '@clarion/core/call/call-stats';
import { getCall } from '@clarion/core/call/get-call';
import { demo } from '@clarion/core/demo-account';
import { consumerOf, forConsumer } from '@clarion/core/consumer/operator';
import type { OperatorCtx } from '@clarion/core/consumer/operator';
import { tenantOf } from '@clarion/core/context';
import { reportAgents } from '@clarion/core/report/agent-report';
import { reportCalls } from '@clarion/core/report/call-report';
import { openOperatorFixture } from '../__fixtures__/operator-fixture.ts';
import type { OperatorFixture } from '../__fixtures__/operator-fixture.ts';
import { seedDemo } from '../demo-account/make-demo.ts';
import type { CliEnv } from '../env.ts';
import { withOperator } from '../operator-context.ts';
import { addHistory, wantsHistory } from './add-history.ts';
import { clearHistory } from './clear-history.ts';
import { makeCast } from './make-cast.ts';
import { writeManifest } from './manifest.ts';
import { HISTORY_DAYS, isOpen, planHistory } from './plan-calls.ts';
import { DAY_MS } from './plan-shifts.ts';

/** At least three of any five days are working days. */
const DAYS = 5;

let fixture: OperatorFixture;
let dir: string;
let env: CliEnv;
beforeAll(async () => {
  fixture = await openOperatorFixture();
  ({ dir, env } = fixture);
  await withOperator(env, (ctx) => seedDemo(ctx, env));
});
afterAll(() => fixture.end());

const inDemo = <T>(work: (ctx: ReturnType<typeof forConsumer>) => Promise<T>) =>
  withOperator(env, async (ctx) => work(forConsumer(ctx, await consumerOf(ctx, demo.slug))));

const EVERY = {
  status: null,
  live: false,
  direction: null,
  agentRef: null,
  externalRef: null,
  customer: null,
  channelRef: null,
  queueRef: null,
  from: null,
  to: null,
  limit: 50,
  page: null,
  beforeId: null,
  stats: false,
} as const;

/** Rows of every table for the demo account, except the record of the history and the last use of keys. */
async function contents({ db }: OperatorCtx): Promise<Record<string, unknown>> {
  const tables = await db.$queryRaw<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not in ('DemoHistory', 'CallTally')`;
  const counts: Record<string, unknown> = {};
  for (const { name } of tables) {
    const [row] = await db.$queryRawUnsafe<{ count: number }[]>(
      `select count(*)::int as count from "${name}"`,
    );
    counts[name] = row?.count;
  }
  return counts;
}

const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
    : [];

test('the same seed and time produce the same two weeks, in which no agent is in two calls at the same time', () => {
  const now = Date.UTC(2026, 5, 19, 15);
  const plan = planHistory(7, now);
  expect(planHistory(7, now)).toEqual(plan);
  expect(plan.calls.length).toBeGreaterThan(500);
  for (const ref of ['ada', 'ben', 'cleo', 'dina', 'emil', 'farah'] as const) {
    const stints = plan.calls
      .flatMap(({ answeredBy, answeredAt, transfer, endedAt }) =>
        answeredAt === null
          ? []
          : [
              { ref: answeredBy, from: answeredAt, to: transfer?.acceptedAt ?? endedAt },
              ...(transfer ? [{ ref: transfer.to, from: transfer.acceptedAt, to: endedAt }] : []),
            ],
      )
      .filter((stint) => stint.ref === ref)
      .toSorted((a, b) => a.from - b.from);
    expect(stints.length).toBeGreaterThan(20);
    stints.slice(1).forEach(({ from }, i) => expect(from).toBeGreaterThanOrEqual(stints[i]?.to ?? Infinity));
  }
  for (const { createdAt, answeredAt } of plan.calls) {
    expect(createdAt).toBeGreaterThan(now - HISTORY_DAYS * DAY_MS);
    if (!isOpen(createdAt)) expect(answeredAt).toBeNull();
  }
});

test('the history is added, every count matches it, and it is deleted completely', async () => {
  const before = await withOperator(env, contents);
  const filesBefore = filesIn(dir);
  expect(await withOperator(env, wantsHistory)).toBe(true);
  const added = await withOperator(env, (ctx) => addHistory(ctx, DAYS));
  expect(added.calls).toBeGreaterThan(100);
  expect(added.recordings).toBeGreaterThan(5);
  expect(await withOperator(env, wantsHistory)).toBe(false);
  await expect(withOperator(env, (ctx) => addHistory(ctx, DAYS))).rejects.toThrow(/already/);

  await inDemo(async (ctx) => {
    const tenant = await tenantOf(ctx, demo.tenantRef);
    const all = await selectCalls(ctx, tenant, EVERY);
    const byKind = (cells: Awaited<ReturnType<typeof countCells>>) =>
      new Map(
        cells.map((cell) => [`${cell.direction} ${cell.status} ${cell.reason} ${cell.answered}`, cell]),
      );
    expect(byKind(await countCells(ctx, all))).toEqual(byKind(await countRows(ctx, all)));
    const stats = statsOf(await countRows(ctx, all));
    expect(stats).toMatchObject({ total: added.calls, live: 0 });

    const query = { from: null, to: null };
    const calls = await reportCalls(ctx, demo.tenantRef, {
      ...query,
      interval: 'DAY',
      timezone: 'UTC',
      queueRef: null,
      channelRef: null,
      serviceLevelSeconds: 20,
    });
    expect(calls.totals).toMatchObject(stats);
    expect(calls.totals.serviceLevel).toBeGreaterThan(0.6);
    const { agents } = await reportAgents(ctx, demo.tenantRef, query);
    const sum = (of: (agent: (typeof agents)[number]) => number) =>
      agents.reduce((total, agent) => total + of(agent), 0);
    expect(sum(({ talkSeconds }) => talkSeconds)).toBe(stats.talkSeconds);
    for (const agent of agents) expect(agent.talkSeconds).toBeLessThan(agent.availableSeconds);

    const recorded = await ctx.db.recording.findFirstOrThrow();
    const detail = await getCall(ctx, recorded.callId);
    expect(detail.recording).toMatchObject({ status: 'completed' });
    expect(
      Math.abs((detail.recording?.durationSeconds ?? 0) - detail.call.durations.call),
    ).toBeLessThanOrEqual(1);
    expect(detail.call.consumerMetadata).toEqual({ demo: true });
    expect(detail.legs.map(({ quality }) => quality?.mos)).not.toContain(undefined);
    const usage = await ctx.db.usageRecord.aggregate({ where: { kind: 'CALL' }, _sum: { seconds: true } });
    expect(usage._sum.seconds).toBe(stats.talkSeconds);
  });

  expect(await withOperator(env, (ctx) => clearHistory(ctx))).toEqual({ calls: added.calls, kept: [] });
  expect(await withOperator(env, contents)).toEqual(before);
  expect(filesIn(dir)).toEqual(filesBefore);
  await inDemo(async (ctx) => {
    expect(await ctx.db.callTally.count({ where: { calls: { gt: 0 } } })).toBe(0);
  });
  // `npm start` does not add a history again that was deleted.
  expect(await withOperator(env, wantsHistory)).toBe(false);
});

test('deleting the history keeps what has been used since', async () => {
  await inDemo(async (ctx) => {
    const { db } = ctx;
    const { made } = await makeCast(ctx);
    await writeManifest(db, ctx.consumer.id, made);
    const sales = await db.queue.findFirstOrThrow({ where: { ref: 'sales' } });
    await db.channel.updateMany({ where: { ref: 'support' }, data: { inboundQueueId: sales.id } });
  });
  const { kept } = await withOperator(env, (ctx) => clearHistory(ctx));
  expect(kept).toEqual(['queue sales', 'agent cleo', 'agent emil', 'agent farah']);
});
