/**
 * Totals over a selection of calls (docs/requirements.md#call-statistics). Seconds are whole, as in each call's durations. Ended calls of whole days
 * come from the tally (README, "Stats at size"), the rest from rows, all in one statement: never stale, never counted twice.
 */
import { Prisma } from '@clarion/db';
import { liveStatuses } from '@clarion/protocol';
import type { CallDirection, CallStatus } from '@clarion/protocol';
import type { CallStats } from '@clarion/protocol/v1/call/calls';
import type { Ctx } from '../context.ts';
import { isLive, rowsOf, tallyKeyOf } from './call-filter.ts';
import type { CallSelection, TallyKey } from './call-filter.ts';

const { sql } = Prisma;
const DAY_MS = 86_400_000;

/** Of unanswered calls that ended; whatever is neither missed nor lost ended by an error. */
const MISSED = ['NO_ANSWER', 'IVR_AGENT_NO_ANSWER', 'TIMEOUT', 'REJECTED', 'BUSY'];
const LOST = ['CANCELLED'];

/** Calls of one kind. Live calls are counted up to now. */
export interface CallCell {
  direction: CallDirection;
  status: CallStatus;
  /** terminationReason; empty where there is none. */
  reason: string;
  answered: boolean;
  calls: number;
  talk: number;
  waited: number;
  wait: number;
  longest: number | null;
}

export async function callStats(ctx: Pick<Ctx, 'db' | 'now'>, selection: CallSelection): Promise<CallStats> {
  return statsOf(await countCells(ctx, selection));
}

/** The cells of a selection, from the tally wherever it can count them. */
export async function countCells(
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  selection: CallSelection,
): Promise<CallCell[]> {
  return db.$queryRaw<CallCell[]>(cellsOf(selection, now));
}

/** The statement that counts a selection. */
export const cellsOf = (selection: CallSelection, now: Date): Prisma.Sql => sql`
  select "direction", "status", "reason", "answered", sum("calls")::int as "calls", sum("talk")::float8 as "talk",
    sum("waited")::int as "waited", sum("wait")::float8 as "wait", max("longest")::float8 as "longest"
  from (${Prisma.join(sourcesOf(selection, now), ' union all ')}) cells
  group by 1, 2, 3, 4`;

/** The same from the rows alone: what the tally is held against in tests. */
export async function countRows(
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  selection: CallSelection,
): Promise<CallCell[]> {
  return db.$queryRaw<CallCell[]>`select "direction", "status", "reason", "answered", "calls"::int as "calls",
      "talk"::float8 as "talk", "waited"::int as "waited", "wait"::float8 as "wait", "longest"::float8 as "longest"
    from (${cellsOfRows(rowsOf(selection), now)}) cells`;
}

function sourcesOf(selection: CallSelection, now: Date): Prisma.Sql[] {
  const rows = rowsOf(selection);
  const cell = tallyKeyOf(selection);
  if (!cell || selection.live) return [cellsOfRows(rows, now)];
  const { from, to } = selection;
  const firstDay = from && new Date(Math.ceil(from.getTime() / DAY_MS) * DAY_MS);
  const endDay = to && new Date(Math.floor(to.getTime() / DAY_MS) * DAY_MS);
  if (firstDay && endDay && firstDay >= endDay) return [cellsOfRows(rows, now)];
  const conditions = [
    cellsAt(selection, cell),
    ...(firstDay ? [sql`t."day" >= ${dateOf(firstDay)}`] : []),
    ...(endDay ? [sql`t."day" < ${dateOf(endDay)}`] : []),
    sql`t."calls" > 0`,
  ];
  const before = firstDay && from && firstDay > from ? [sql`c."createdAt" < ${firstDay}`] : [];
  const after = endDay && to && endDay < to ? [sql`c."createdAt" >= ${endDay}`] : [];
  return [
    sql`select t."direction", t."status", t."reason", t."answered", t."calls"::bigint as "calls", t."talkSeconds" as "talk",
          t."waited"::bigint as "waited", t."waitSeconds" as "wait", t."longestWaitSeconds" as "longest"
        from "CallTally" t where ${Prisma.join(conditions, ' and ')}`,
    cellsOfRows(sql`${rows} and ${isLive}`, now),
    ...[...before, ...after].map((edge) => cellsOfRows(sql`${rows} and ${edge} and not (${isLive})`, now)),
  ];
}

/** The cells of the tally, `"CallTally" t`, that hold a selection's ended calls of all days. */
export function cellsAt({ tenantId, direction, status }: CallSelection, cell: TallyKey): Prisma.Sql {
  return sql`t."tenantId" = ${tenantId} and t."scope" = ${cell.scope}::"CallTallyScope" and t."key" = ${cell.key}
    and t."otherKey" = ${cell.otherKey}
    ${direction ? sql`and t."direction" = ${direction}::"CallDirection"` : Prisma.empty}
    ${status ? sql`and t."status" = ${status}::"CallStatus"` : Prisma.empty}`;
}

/** The day of a UTC midnight, told in no notation. */
const dateOf = (midnight: Date) => sql`(${midnight}::timestamptz at time zone 'UTC')::date`;

function cellsOfRows(where: Prisma.Sql, now: Date): Prisma.Sql {
  return sql`
    select c."direction", c."status", coalesce(c."terminationReason", '') as "reason", c."answeredAt" is not null as "answered",
      count(*) as "calls", coalesce(sum(s.talk), 0) as "talk", count(s.wait) as "waited",
      coalesce(sum(s.wait), 0) as "wait", max(s.wait) as "longest"
    from "Call" c
    cross join lateral (select case when ${isLive} then coalesce(c."endedAt", ${now}::timestamptz) else c."endedAt" end as until) u
    cross join lateral (select call_talk_seconds(c."answeredAt", u.until) as talk,
      call_wait_seconds(c."queuedAt", c."answeredAt", u.until) as wait) s
    where ${where} group by 1, 2, 3, 4`;
}

/** How a call counts in the stats. A live call may be answered already. */
export function outcomeClass(cell: Pick<CallCell, 'status' | 'reason' | 'answered'>) {
  if (cell.answered) return 'answered';
  if (isLiveStatus(cell.status)) return null;
  if (cell.status !== 'FAILED' && MISSED.includes(cell.reason)) return 'missed';
  if (cell.status !== 'FAILED' && LOST.includes(cell.reason)) return 'lost';
  return 'failed';
}

const isLiveStatus = (status: CallStatus) => liveStatuses.some((one) => one === status);

export const totalOf = (cells: readonly CallCell[]) => cells.reduce((sum, { calls }) => sum + calls, 0);

export function statsOf(cells: readonly CallCell[]): CallStats {
  const sum = (of: (cell: CallCell) => number) => cells.reduce((total, cell) => total + of(cell), 0);
  const callsWhere = (holds: (cell: CallCell) => boolean) => sum((cell) => (holds(cell) ? cell.calls : 0));
  const answered = callsWhere((cell) => cell.answered);
  const talkSeconds = sum(({ talk }) => talk);
  const waited = sum((cell) => cell.waited);
  const longest = cells.flatMap((cell) => (cell.longest === null ? [] : [cell.longest]));
  return {
    total: totalOf(cells),
    answered,
    missed: callsWhere((cell) => outcomeClass(cell) === 'missed'),
    lost: callsWhere((cell) => outcomeClass(cell) === 'lost'),
    failed: callsWhere((cell) => outcomeClass(cell) === 'failed'),
    live: callsWhere(({ status }) => isLiveStatus(status)),
    inbound: callsWhere(({ direction }) => direction === 'INBOUND'),
    outbound: callsWhere(({ direction }) => direction === 'OUTBOUND'),
    talkSeconds,
    avgTalkSeconds: answered === 0 ? 0 : Math.round(talkSeconds / answered),
    avgWaitSeconds: waited === 0 ? null : Math.round(sum(({ wait }) => wait) / waited),
    longestWaitSeconds: waited === 0 ? null : Math.max(...longest),
  };
}
