/** A page of a tenant's calls, newest first, by number or by cursor (docs/requirements.md#lists). */
import { Prisma } from '@clarion/db';
import type { CallList, ListCalls } from '@clarion/protocol/v1/call/calls';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { isLive, rowsOf, selectCalls, tallyKeyOf } from './call-filter.ts';
import type { CallSelection, TallyKey } from './call-filter.ts';
import { cellsAt, countCells, statsOf, totalOf } from './call-stats.ts';
import { presentCall } from '../call-record/present.ts';

const { sql } = Prisma;

/** @throws 404 for an unknown tenant or agent, 400 for an unknown line or queue */
export async function listCalls(ctx: Ctx, tenantRef: string, query: ListCalls): Promise<CallList> {
  const tenant = await tenantOf(ctx, tenantRef);
  const selection = await selectCalls(ctx, tenant, query);
  const { limit, page, stats } = query;
  const ids = await ctx.db.$queryRaw<{ id: number }[]>(pageOf(selection, query));
  const calls = await ctx.db.call.findMany({
    where: { id: { in: ids.map(({ id }) => id) } },
    orderBy: { id: 'desc' },
  });
  const cells = stats || page !== null ? await countCells(ctx, selection) : [];
  return {
    calls: calls.map((call) => presentCall(call, tenantRef, ctx.now)),
    nextBeforeId: ids.at(-1)?.id ?? null,
    ...(page !== null && { page, pageSize: limit, total: totalOf(cells) }),
    ...(stats && { stats: statsOf(cells) }),
  };
}

/** A page that begins further down is reached by skipping whole days. */
const SKIP_FROM_OFFSET = 10_000;

/** The statement that finds the ids of one page. */
export function pageOf(
  selection: CallSelection,
  { limit, page, beforeId }: Pick<ListCalls, 'limit' | 'page' | 'beforeId'>,
  skipFrom = SKIP_FROM_OFFSET,
): Prisma.Sql {
  const before = beforeId === null ? Prisma.empty : sql`and c."id" < ${beforeId}`;
  const offset = page === null ? 0 : (page - 1) * limit;
  const rows = sql`${rowsOf(selection)} ${before}`;
  if (!selection.from && !selection.to) {
    const cell = tallyKeyOf(selection);
    if (offset > skipFrom && cell && !selection.live) return deepPage(selection, cell, limit, offset);
    return sql`select c."id" from "Call" c where ${rows} order by c."id" desc limit ${limit} offset ${offset}`;
  }
  // Pages are ordered by id and the window is one of time. The tally knows between which ids the ended calls of those days
  // lie, so that an old window is not reached by reading every newer call; live calls are few.
  return sql`
    select u."id" from (
      (select c."id" from "Call" c
        where ${rows} and c."id" >= (${boundOf(selection, sql`min(t."firstId")`)})
          and c."id" <= (${boundOf(selection, sql`max(t."lastId")`)})
        order by c."id" desc limit ${limit + offset})
      union
      (select c."id" from "Call" c where ${rows} and ${isLive})
    ) u order by u."id" desc limit ${limit} offset ${offset}`;
}

/**
 * Skips the newest days whose calls all have higher ids than every older call: the tally knows how many of the selection they are,
 * and only the rest of the offset is read. Where ids and days do not go together no day is skipped.
 */
function deepPage(selection: CallSelection, cell: TallyKey, limit: number, offset: number): Prisma.Sql {
  const rows = rowsOf(selection);
  return sql`
    with days as (
      select t."day", min(t."firstId") as "first", max(t."lastId") as "last" from "CallTally" t
      where t."tenantId" = ${selection.tenantId} and t."scope" = 'TENANT' and t."key" = 0 and t."otherKey" = 0 group by 1
    ), counts as (
      select t."day", sum(t."calls") as "calls" from "CallTally" t where ${cellsAt(selection, cell)} group by 1
    ), walk as (
      select min(d."first") over newest as "from",
        max(d."last") over (order by d."day" desc rows between 1 following and unbounded following) as "below",
        coalesce(sum(n."calls") over newest, 0) as "passed"
      from days d left join counts n on n."day" = d."day" window newest as (order by d."day" desc)
    ), live as materialized (
      select c."id" from "Call" c where ${rows} and ${isLive}
    ), skip as materialized (
      select w."from", w."passed" + (select count(*) from live where "id" >= w."from") as "passed" from walk w
      where w."from" > coalesce(w."below", 0) and w."passed" + (select count(*) from live) <= ${offset}
      order by w."from" limit 1
    )
    select c."id" from "Call" c
    where ${rows} and c."id" < coalesce((select "from" from skip), ${BEYOND_ANY_ID}::bigint)
    order by c."id" desc limit ${limit} offset ${offset} - coalesce((select "passed" from skip), 0)`;
}
const BEYOND_ANY_ID = 2 ** 31;

function boundOf({ tenantId, from, to }: CallSelection, bound: Prisma.Sql): Prisma.Sql {
  const day = (at: Date) => sql`(${at}::timestamptz at time zone 'UTC')::date`;
  return sql`select ${bound} from "CallTally" t
    where t."tenantId" = ${tenantId} and t."scope" = 'TENANT' and t."key" = 0 and t."otherKey" = 0
      ${from ? sql`and t."day" >= ${day(from)}` : Prisma.empty}
      ${to ? sql`and t."day" <= ${day(to)}` : Prisma.empty}`;
}
