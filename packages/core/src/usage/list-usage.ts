/** A page of an account's usage records, newest first. */
import type { Prisma } from '@clarion/db';
import type { ListUsage, UsageResource } from '@clarion/protocol/v1/report/usage';
import { scopeOf, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { windowAt } from '../query-window.ts';
import { presentUsage } from './present-usage.ts';

export interface UsagePage {
  usage: UsageResource[];
  page: number;
  limit: number;
  total: number;
}

/** @throws 404 for an unknown tenant, 400 naming `from` or `to` */
export async function listUsage(
  ctx: Ctx,
  { tenantRef, page, limit, ...given }: ListUsage,
): Promise<UsagePage> {
  const { from, to } = windowAt(ctx, given);
  const tenant = tenantRef === null ? null : await tenantOf(ctx, tenantRef);
  const where = {
    ...scopeOf(ctx),
    createdAt: { gte: from, lt: to },
    ...(tenant && { tenantId: tenant.id }),
  } satisfies Prisma.UsageRecordWhereInput;
  const rows = await ctx.db.usageRecord.findMany({
    where,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    skip: (page - 1) * limit,
    take: limit,
  });
  return { usage: rows.map(presentUsage), page, limit, total: await ctx.db.usageRecord.count({ where }) };
}
