/** reports/calls: volumes, outcomes, service level and waits by bucket of time. Every figure: README. */
import { Prisma } from '@clarion/db';
import { invalidField } from '@clarion/protocol';
import { MAX_BUCKETS, SHORT_ABANDON_SECONDS } from '@clarion/protocol/v1/report/reports';
import type { CallFigures, CallReport, CallReportQuery } from '@clarion/protocol/v1/report/reports';
import { isLive, rowsOf, selectCalls } from '../call/call-filter.ts';
import { statsOf } from '../call/call-stats.ts';
import type { CallCell } from '../call/call-stats.ts';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { bucketEdges } from './buckets.ts';
import { windowAt } from '../query-window.ts';

const { sql } = Prisma;

/** Counters of calls in queues that the outcome alone does not tell. */
interface QueueCounts {
  answeredWithin: number;
  abandoned: number;
  abandonedAfterThreshold: number;
  shortAbandoned: number;
  overflowed: number;
  timedOut: number;
}
type ReportCell = CallCell & QueueCounts & { bucket: number };

/** @throws 404 for an unknown tenant, 400 naming from, to, interval, queue_ref or channel_ref */
export async function reportCalls(ctx: Ctx, tenantRef: string, query: CallReportQuery): Promise<CallReport> {
  const tenant = await tenantOf(ctx, tenantRef);
  const { interval, timezone, serviceLevelSeconds, queueRef, channelRef } = query;
  const window = windowAt(ctx, query);
  const edges = bucketEdges(window, interval, timezone, MAX_BUCKETS);
  if (!edges) {
    throw invalidField(
      'interval',
      `interval: the window has more than ${MAX_BUCKETS} of these. Choose a longer interval.`,
    );
  }
  const selection = await selectCalls(ctx, tenant, { ...EVERY_CALL, ...window, queueRef, channelRef });
  const cells = await cellsByBucket(ctx, rowsOf(selection), edges, serviceLevelSeconds);
  const ofBucket = Map.groupBy(cells, ({ bucket }) => bucket);
  const totals = figuresOf(cells);
  return {
    from: window.from.toISOString(),
    to: window.to.toISOString(),
    interval,
    timezone,
    buckets: edges.slice(1).map((end, i) => ({
      start: (edges[i] ?? end).toISOString(),
      end: end.toISOString(),
      // width_bucket counts from 1.
      ...figuresOf(ofBucket.get(i + 1) ?? []),
    })),
    totals,
    serviceLevel: {
      thresholdSeconds: serviceLevelSeconds,
      answeredWithin: totals.answeredWithin,
      offered: totals.offered,
      ratio: totals.serviceLevel,
    },
  };
}

const EVERY_CALL = {
  status: null,
  live: false,
  direction: null,
  agentRef: null,
  externalRef: null,
  customer: null,
  limit: 1,
  page: null,
  beforeId: null,
  stats: false,
} as const;

async function cellsByBucket(
  { db, now }: Ctx,
  rows: Prisma.Sql,
  edges: Date[],
  thresholdSeconds: number,
): Promise<ReportCell[]> {
  const starts = edges.map((edge) => edge.toISOString());
  const abandoned = sql`q.abandoned`;
  return db.$queryRaw<ReportCell[]>`
    select width_bucket(c."createdAt", ${starts}::timestamptz[]) as "bucket",
      c."direction", c."status", coalesce(c."terminationReason", '') as "reason", c."answeredAt" is not null as "answered",
      count(*)::int as "calls", coalesce(sum(s.talk), 0)::float8 as "talk",
      count(s.wait)::int as "waited", coalesce(sum(s.wait), 0)::float8 as "wait", max(s.wait)::float8 as "longest",
      count(*) filter (where c."answeredAt" is not null and q.waited <= ${thresholdSeconds})::int as "answeredWithin",
      count(*) filter (where ${abandoned})::int as "abandoned",
      count(*) filter (where ${abandoned} and q.waited > ${thresholdSeconds})::int as "abandonedAfterThreshold",
      count(*) filter (where ${abandoned} and q.waited < ${SHORT_ABANDON_SECONDS})::int as "shortAbandoned",
      count(*) filter (where c."queuedAt" is not null and c."overflowed")::int as "overflowed",
      count(*) filter (where c."queuedAt" is not null and c."answeredAt" is null and c."terminationReason" = 'TIMEOUT')::int as "timedOut"
    from "Call" c
    cross join lateral (select case when ${isLive} then coalesce(c."endedAt", ${now}::timestamptz) else c."endedAt" end as until) u
    cross join lateral (select call_talk_seconds(c."answeredAt", u.until) as talk,
      call_wait_seconds(c."queuedAt", c."answeredAt", u.until) as wait) s
    cross join lateral (select
      case when c."queuedAt" is not null
        then greatest(0, extract(epoch from coalesce(c."answeredAt", u.until) - c."queuedAt")) end as waited,
      c."queuedAt" is not null and c."answeredAt" is null and c."terminatedBy" = 'CUSTOMER'
        and c."terminationReason" in ('CANCELLED', 'NO_ANSWER') as abandoned) q
    where ${rows}
    group by 1, 2, 3, 4, 5`;
}

function figuresOf(cells: readonly ReportCell[]): CallFigures {
  const sum = (of: (cell: ReportCell) => number) => cells.reduce((total, cell) => total + of(cell), 0);
  const answeredFromQueue = sum(({ answered, waited }) => (answered ? waited : 0));
  const answeredWithin = sum((cell) => cell.answeredWithin);
  const abandonedAfterThreshold = sum((cell) => cell.abandonedAfterThreshold);
  const promised = answeredFromQueue + abandonedAfterThreshold;
  const { avgWaitSeconds, longestWaitSeconds, ...outcomes } = statsOf(cells);
  return {
    ...outcomes,
    offered: sum(({ waited }) => waited),
    answeredFromQueue,
    answeredWithin,
    abandoned: sum((cell) => cell.abandoned),
    abandonedAfterThreshold,
    shortAbandoned: sum((cell) => cell.shortAbandoned),
    overflowed: sum((cell) => cell.overflowed),
    timedOut: sum((cell) => cell.timedOut),
    avgWaitSeconds,
    longestWaitSeconds,
    serviceLevel: promised === 0 ? null : Math.round((answeredWithin / promised) * RATIO_STEPS) / RATIO_STEPS,
  };
}

/** A ratio has 4 decimals. */
const RATIO_STEPS = 10_000;
