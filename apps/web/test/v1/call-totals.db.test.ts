/** Random histories: the stats and totals of a list and the figures of a report must equal a recount of the rows. */
import { pageOf } from '@clarion/core/call/list-calls';
import type { Call, Prisma } from '@clarion/db';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

let web: Web;
let key: string;
let tenantId: number;
let consumerId: number;
const ids: Record<string, number[]> = { agents: [], channels: [], queues: [] };
const tenantRef = 'shop';
const NOW = new Date('2026-03-31T12:00:00.500Z');

beforeAll(async () => {
  web = await startWeb();
  const fixture = await createTenantFixture(web, 'acme');
  key = fixture.key;
  await fixture.putLine('second', '+442071838751');
  await call('putQueue', { key, path: { tenantRef, queueRef: 'sales' }, body: { name: 'Sales' } });
  const { db } = web.runtime;
  ({ id: tenantId, consumerId } = await db.tenant.findFirstOrThrow({ where: { ref: tenantRef } }));
  const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id);
  ids['agents'] = idsOf(await db.agent.findMany({ orderBy: { id: 'asc' } }));
  ids['channels'] = idsOf(await db.channel.findMany({ orderBy: { id: 'asc' } }));
  ids['queues'] = idsOf(await db.queue.findMany({ orderBy: { id: 'asc' } }));
  web.setNow(NOW);
});
afterAll(() => web.stop());

const agentRefs = ['ada', 'ben'];
const channelRefs = ['main', 'second'];
const queueRefs = ['support', 'sales'];
const CUSTOMERS = ['+442079460123', 'sip:ada@example.com'];
const reasons = [
  'COMPLETED',
  'NO_ANSWER',
  'TIMEOUT',
  'REJECTED',
  'BUSY',
  'CANCELLED',
  'PROVIDER_ERROR',
  'AGENT_DISCONNECTED',
];

const seconds = fc.integer({ min: -3, max: 90_000 });
const oneCall = fc.record({
  /** Within five days, so that windows overlap them in every way. */
  at: fc.integer({ min: 0, max: 5 * 86_400_000 }),
  status: fc.constantFrom(
    'INITIATED',
    'RINGING',
    'IN_PROGRESS',
    'TERMINATED',
    'TERMINATED',
    'TERMINATED',
    'FAILED',
  ),
  direction: fc.constantFrom('INBOUND', 'OUTBOUND'),
  reason: fc.constantFrom(...reasons),
  by: fc.constantFrom('CUSTOMER', 'AGENT', 'SYSTEM'),
  agent: fc.option(fc.constantFrom(0, 1)),
  channel: fc.constantFrom(0, 1),
  queue: fc.option(fc.constantFrom(0, 1)),
  customer: fc.constantFrom(0, 1),
  wait: fc.option(seconds),
  answer: fc.option(seconds),
  talk: seconds,
  overflowed: fc.boolean(),
});
type OneCall = typeof oneCall extends fc.Arbitrary<infer T> ? T : never;
const BEGIN = Date.UTC(2026, 2, 26, 22);

const isLive = ({ status }: { status: string }) => status !== 'TERMINATED' && status !== 'FAILED';
function rowOf(one: OneCall): Prisma.CallCreateManyInput {
  const createdAt = BEGIN + one.at;
  const later = (from: number, by: number | null) => (by === null ? null : new Date(from + by * 1000 + 137));
  const answeredAt =
    one.status === 'RINGING' || one.status === 'INITIATED' ? null : later(createdAt, one.answer);
  const live = isLive(one);
  return {
    tenantId,
    consumerId,
    direction: one.direction as Call['direction'],
    status: one.status as Call['status'],
    channelId: ids['channels']?.[one.channel] ?? null,
    channelRef: 'x',
    channelType: 'SIP',
    agentId: one.agent === null ? null : (ids['agents']?.[one.agent] ?? null),
    queueId: one.queue === null ? null : (ids['queues']?.[one.queue] ?? null),
    customerAddress: CUSTOMERS[one.customer] ?? null,
    customerAddressType: 'E164',
    externalRef: one.customer === 0 ? 'order' : null,
    terminationReason: live ? null : one.reason,
    terminatedBy: live ? null : one.by,
    createdAt: new Date(createdAt),
    queuedAt: later(createdAt, one.wait),
    answeredAt,
    endedAt: live ? null : later(answeredAt?.getTime() ?? createdAt, one.talk),
    overflowed: one.overflowed,
  };
}

const bound = fc.option(fc.integer({ min: -10, max: 130 }).map((hours) => BEGIN + hours * 3_600_000));
const query = fc.record({
  from: bound,
  to: bound,
  status: fc.option(fc.constantFrom('TERMINATED', 'FAILED', 'IN_PROGRESS', 'RINGING'), { freq: 2 }),
  direction: fc.option(fc.constantFrom('INBOUND', 'OUTBOUND'), { freq: 2 }),
  live: fc.constantFrom(false, false, false, true),
  agent: fc.option(fc.constantFrom(0, 1), { freq: 3 }),
  channel: fc.option(fc.constantFrom(0, 1), { freq: 3 }),
  queue: fc.option(fc.constantFrom(0, 1), { freq: 3 }),
  customer: fc.option(fc.constantFrom(0, 1), { freq: 2 }),
});
type Query = typeof query extends fc.Arbitrary<infer T> ? T : never;

const every: Query = {
  from: null,
  to: null,
  status: null,
  direction: null,
  live: false,
  agent: null,
  channel: null,
  queue: null,
  customer: null,
};

const iso = (at: number) => new Date(at).toISOString();
const textOf = (q: Query): string => {
  const text = new URLSearchParams();
  if (q.from !== null) text.set('from', iso(q.from));
  if (q.to !== null) text.set('to', iso(q.to));
  if (q.status) text.set('status', q.status);
  if (q.direction) text.set('direction', q.direction.toLowerCase());
  if (q.live) text.set('live', 'true');
  if (q.agent !== null) text.set('agent_ref', agentRefs[q.agent] ?? '');
  if (q.channel !== null) text.set('channel_ref', channelRefs[q.channel] ?? '');
  if (q.queue !== null) text.set('queue_ref', queueRefs[q.queue] ?? '');
  if (q.customer !== null) text.set('customer', ['00442079460123', 'SIP:ada@Example.COM'][q.customer] ?? '');
  return String(text);
};
const picks = (q: Query) => (row: Call) =>
  (q.from === null || row.createdAt.getTime() >= q.from) &&
  (q.to === null || row.createdAt.getTime() < q.to) &&
  (!q.status || row.status === q.status) &&
  (!q.direction || row.direction === q.direction) &&
  (!q.live || isLive(row)) &&
  (q.agent === null || row.agentId === ids['agents']?.[q.agent]) &&
  (q.channel === null || row.channelId === ids['channels']?.[q.channel]) &&
  (q.queue === null || row.queueId === ids['queues']?.[q.queue]) &&
  (q.customer === null || row.customerAddress === CUSTOMERS[q.customer]);

const whole = (from: Date | null, to: Date | null) =>
  from && to ? Math.max(0, Math.floor((to.getTime() - from.getTime()) / 1000)) : null;
const untilOf = (row: Call) => row.endedAt ?? (isLive(row) ? NOW : null);
const waitOf = (row: Call) => whole(row.queuedAt, row.answeredAt ?? untilOf(row));
const sumOf = (values: (number | null)[]) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** The stats object by its definition (docs/requirements.md#call-statistics), one row at a time. */
function recount(rows: Call[]) {
  const count = (holds: (row: Call) => boolean) => rows.filter(holds).length;
  const answered = count((row) => row.answeredAt !== null);
  const unanswered = (row: Call, of: string[]) =>
    row.answeredAt === null && row.status === 'TERMINATED' && of.includes(row.terminationReason ?? '');
  const missed = count((row) =>
    unanswered(row, ['NO_ANSWER', 'IVR_AGENT_NO_ANSWER', 'TIMEOUT', 'REJECTED', 'BUSY']),
  );
  const lost = count((row) => unanswered(row, ['CANCELLED']));
  const waits = rows.map(waitOf).filter((wait) => wait !== null);
  const talkSeconds = sumOf(rows.map((row) => whole(row.answeredAt, untilOf(row))));
  return {
    total: rows.length,
    answered,
    missed,
    lost,
    failed: count((row) => row.answeredAt === null && !isLive(row)) - missed - lost,
    live: count(isLive),
    inbound: count(({ direction }) => direction === 'INBOUND'),
    outbound: count(({ direction }) => direction === 'OUTBOUND'),
    talkSeconds,
    avgTalkSeconds: answered === 0 ? 0 : Math.round(talkSeconds / answered),
    avgWaitSeconds: waits.length === 0 ? null : Math.round(sumOf(waits) / waits.length),
    longestWaitSeconds: waits.length === 0 ? null : Math.max(...waits),
  };
}

async function checkLists(queries: Query[]): Promise<void> {
  const rows = await web.runtime.db.call.findMany({ orderBy: { id: 'desc' } });
  for (const q of queries) {
    const picked = rows.filter(picks(q));
    const text = textOf(q);
    const list = (
      await call('listCalls', { key, path: { tenantRef }, query: `${text}&stats=true&page=1&limit=5` })
    ).json;
    expect(list.stats, text).toEqual(recount(picked));
    expect(list.total, text).toBe(picked.length);
    expect(
      list.calls.map(({ callId }) => callId),
      text,
    ).toEqual(picked.slice(0, 5).map(({ id }) => id));
    const seen: number[] = [];
    for (let before = ''; ; before = `&before_id=${seen.at(-1)}`) {
      const page = (await call('listCalls', { key, path: { tenantRef }, query: `${text}&limit=17${before}` }))
        .json;
      seen.push(...page.calls.map(({ callId }) => callId));
      if (page.nextBeforeId === null) break;
    }
    expect(seen, text).toEqual(picked.map(({ id }) => id));
  }
}

test('stats, totals and pages of a list equal a recount after any inserts, changes and deletions', async () => {
  const { db } = web.runtime;
  const history = fc.record({
    calls: fc.array(oneCall, { minLength: 1, maxLength: 60 }),
    changes: fc.array(fc.record({ which: fc.nat(), become: fc.option(oneCall, { freq: 1 }) }), {
      maxLength: 30,
    }),
    queries: fc.array(query, { minLength: 3, maxLength: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(history, async ({ calls, changes, queries }) => {
      await db.call.deleteMany({});
      await db.call.createMany({ data: calls.map(rowOf) });
      await checkLists(queries);
      for (const { which, become } of changes) {
        const all = await db.call.findMany({ select: { id: true }, orderBy: { id: 'asc' } });
        const { id } = all[which % Math.max(1, all.length)] ?? {};
        if (id === undefined) continue;
        if (become) await db.call.update({ where: { id }, data: rowOf(become) });
        else await db.call.delete({ where: { id } });
      }
      await checkLists(queries);
      await db.call.deleteMany({});
      expect(await db.callTally.findMany({ where: { calls: { not: 0 } } })).toEqual([]);
      expect(await db.callTally.findMany({ where: { waitSeconds: { not: 0 } } })).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

test('concurrent ends, changes and deletions of calls leave the tally correct', async () => {
  const { db } = web.runtime;
  const calls = fc.sample(oneCall, { numRuns: 60, seed: 7 });
  await db.call.createMany({ data: calls.map((one) => rowOf({ ...one, status: 'RINGING' })) });
  const rows = await db.call.findMany({ select: { id: true }, orderBy: { id: 'asc' } });
  const change = async ({ id }: { id: number }, i: number) => {
    const one = calls[i];
    if (!one) return;
    await db.call.update({ where: { id }, data: rowOf({ ...one, status: 'TERMINATED' }) });
    if (i % 3 === 0) await db.call.delete({ where: { id } });
  };
  await Promise.all(rows.map(change));
  await checkLists([every, { ...every, agent: 1 }, { ...every, queue: 0 }, { ...every, channel: 1 }]);
  await db.call.deleteMany({});
});

test('a report adds up: its totals are the stats of the same window, its buckets add up to its totals', async () => {
  const { db } = web.runtime;
  const cases = fc.record({
    calls: fc.array(oneCall, { maxLength: 60 }),
    from: fc.integer({ min: -5, max: 60 }),
    hours: fc.integer({ min: 1, max: 100 }),
    interval: fc.constantFrom('hour', 'day', 'week', 'month'),
    zone: fc.constantFrom('UTC', 'Europe/London', 'Asia/Kolkata', 'America/Havana'),
    threshold: fc.constantFrom(0, 20, 3000),
    queue: fc.option(fc.constantFrom(0, 1)),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ calls, from, hours, interval, zone, threshold, queue }) => {
      await db.call.deleteMany({});
      await db.call.createMany({ data: calls.map(rowOf) });
      const begin = BEGIN + from * 3_600_000;
      const window = `from=${iso(begin)}&to=${iso(begin + hours * 3_600_000)}${queue === null ? '' : `&queue_ref=${queueRefs[queue]}`}`;
      const report = (
        await call('reportCalls', {
          key,
          path: { tenantRef },
          query: `${window}&interval=${interval}&timezone=${zone}&service_level_seconds=${threshold}`,
        })
      ).json;
      const { stats } = (await call('listCalls', { key, path: { tenantRef }, query: `${window}&stats=true` }))
        .json;
      expect(report.totals).toMatchObject(stats ?? {});
      for (const figure of [
        'total',
        'inbound',
        'outbound',
        'answered',
        'missed',
        'lost',
        'failed',
        'live',
        'talkSeconds',
        'offered',
        'answeredFromQueue',
        'answeredWithin',
        'abandoned',
        'abandonedAfterThreshold',
        'shortAbandoned',
        'overflowed',
        'timedOut',
      ] as const) {
        expect(sumOf(report.buckets.map((bucket) => bucket[figure])), figure).toBe(report.totals[figure]);
      }
      const rows = (await db.call.findMany({})).filter(
        (row) =>
          row.createdAt.getTime() >= begin &&
          row.createdAt.getTime() < begin + hours * 3_600_000 &&
          (queue === null || row.queueId === ids['queues']?.[queue]),
      );
      for (const bucket of report.buckets) {
        const within = rows.filter(
          ({ createdAt }) => createdAt.toISOString() >= bucket.start && createdAt.toISOString() < bucket.end,
        );
        expect(bucket).toMatchObject(recount(within));
      }
      const offered = rows.filter(({ queuedAt }) => queuedAt !== null);
      const exact = (row: Call) =>
        Math.max(0, ((row.answeredAt ?? untilOf(row))?.getTime() ?? 0) - (row.queuedAt?.getTime() ?? 0));
      const fromQueue = offered.filter(({ answeredAt }) => answeredAt !== null);
      const left = offered.filter(
        (row) =>
          row.answeredAt === null &&
          row.terminatedBy === 'CUSTOMER' &&
          ['CANCELLED', 'NO_ANSWER'].includes(row.terminationReason ?? ''),
      );
      expect(report.totals).toMatchObject({
        offered: offered.length,
        answeredFromQueue: fromQueue.length,
        answeredWithin: fromQueue.filter((row) => exact(row) <= threshold * 1000).length,
        abandoned: left.length,
        abandonedAfterThreshold: left.filter((row) => exact(row) > threshold * 1000).length,
        shortAbandoned: left.filter((row) => exact(row) < 5000).length,
        overflowed: offered.filter((row) => row.overflowed).length,
        timedOut: offered.filter((row) => row.answeredAt === null && row.terminationReason === 'TIMEOUT')
          .length,
      });
    }),
    { numRuns: 25 },
  );
});

test('a late page is the same whether whole days are skipped or every earlier call is read', async () => {
  const { db } = web.runtime;
  const cases = fc.record({
    calls: fc.array(oneCall, { minLength: 30, maxLength: 80 }),
    inOrder: fc.boolean(),
    query: fc.oneof({ arbitrary: fc.constant(every), weight: 2 }, query),
    limit: fc.integer({ min: 1, max: 7 }),
  });
  let skipped = 0;
  await fc.assert(
    fc.asyncProperty(cases, async ({ calls, inOrder, query: q, limit }) => {
      await db.call.deleteMany({});
      await db.call.createMany({
        data: (inOrder ? calls.toSorted((a, b) => a.at - b.at) : calls).map(rowOf),
      });
      const at = (of: string, i: number | null) => (i === null ? null : (ids[of]?.[i] ?? null));
      const selection = {
        tenantId,
        from: null,
        to: null,
        status: q.status as Call['status'] | null,
        live: q.live,
        direction: q.direction as Call['direction'] | null,
        agentId: at('agents', q.agent),
        channelId: at('channels', q.channel),
        queueId: at('queues', q.queue),
        addresses: null,
        externalRef: null,
      };
      const picked = (await db.call.findMany({ orderBy: { id: 'desc' } })).filter(
        picks({ ...q, from: null, to: null, customer: null }),
      );
      for (let page = 2; (page - 1) * limit < picked.length + 2 * limit; page += 1) {
        const statement = pageOf(selection, { limit, page, beforeId: null }, 0);
        if (statement.sql.includes('skip')) skipped += 1;
        const found = await db.$queryRaw<{ id: number }[]>(statement);
        const expected = picked.slice((page - 1) * limit, page * limit);
        expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      }
    }),
    { numRuns: 25 },
  );
  expect(skipped).toBeGreaterThan(50);
});

test('deleting a tenant deletes its tally, however its calls are deleted', async () => {
  const { db } = web.runtime;
  const rows = fc
    .sample(oneCall, { numRuns: 40, seed: 11 })
    .map((one) => rowOf({ ...one, status: 'TERMINATED' }));
  const place = async (ref: string) => {
    const tenant = await db.tenant.create({ data: { consumerId, ref, name: ref, status: 'SUSPENDED' } });
    await db.call.createMany({ data: rows.map((row) => ({ ...row, tenantId: tenant.id })) });
    expect(await db.callTally.count({ where: { tenantId: tenant.id } })).toBeGreaterThan(0);
    return tenant.id;
  };
  const byVerb = await place('closing');
  expect((await call('deleteTenant', { key, path: { tenantRef: 'closing' } })).status).toBe(204);
  const byHand = await place('closed');
  await db.tenant.delete({ where: { id: byHand } });
  expect(await db.callTally.count({ where: { tenantId: { in: [byVerb, byHand] } } })).toBe(0);
});
