/** A page of a tenant's calls, newest first, by number or by cursor (spec, Calls, List rules). */
import { Prisma } from '@clarion/db';
import type { CallList, ListCalls } from '@clarion/protocol/v1/calls';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { callFilter } from './call-filter.ts';
import { callStats } from './call-stats.ts';
import { presentCall } from './present.ts';

/** @throws 404 for an unknown tenant or agent, 400 for an unknown line or queue */
export async function listCalls(ctx: Ctx, tenantRef: string, query: ListCalls): Promise<CallList> {
  const tenant = await tenantOf(ctx, tenantRef);
  const filter = await callFilter(ctx, tenant, query);
  const { limit, page, beforeId } = query;
  const before = beforeId === null ? Prisma.empty : Prisma.sql`and c."id" < ${beforeId}`;
  const offset = page === null ? 0 : (page - 1) * limit;
  const ids = await ctx.db.$queryRaw<{ id: number }[]>`
    select c."id" from "Call" c where ${filter} ${before}
    order by c."id" desc limit ${limit} offset ${offset}`;
  const calls = await ctx.db.call.findMany({
    where: { id: { in: ids.map(({ id }) => id) } },
    orderBy: { id: 'desc' },
  });
  return {
    calls: calls.map((call) => presentCall(call, tenantRef, ctx.now)),
    nextBeforeId: ids.at(-1)?.id ?? null,
    ...(page !== null && { page, pageSize: limit, total: await countCalls(ctx, filter) }),
    ...(query.stats && { stats: await callStats(ctx, filter) }),
  };
}

async function countCalls({ db }: Ctx, filter: Prisma.Sql): Promise<number> {
  const [row] = await db.$queryRaw<{ total: number }[]>`
    select count(*)::int as "total" from "Call" c where ${filter}`;
  return row?.total ?? 0;
}
