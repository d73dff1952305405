/** A page of what an account used, newest first. */
import type { Prisma, UsageRecord } from '@clarion/db';
import { trunkOwners } from '@clarion/protocol/v1/report/usage';
import type { ListUsage, UsageResource } from '@clarion/protocol/v1/report/usage';
import { scopeOf, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { windowAt } from '../query-window.ts';

export interface UsagePage {
  usage: UsageResource[];
  page: number;
  limit: number;
  total: number;
}

/** @throws 404 for an unknown tenant, 400 naming from or to */
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

function presentUsage(row: UsageRecord): UsageResource {
  return {
    id: row.id,
    callId: row.callId,
    tenantRef: row.tenantRef,
    kind: row.kind,
    direction: row.direction,
    channelType: row.channelType,
    trunkOwner: trunkOwners.find((owner) => owner === row.trunkOwner) ?? null,
    seconds: row.seconds,
    billedSeconds: row.seconds === 0 ? 0 : null,
    carrierCost: { amount: null, currency: null, status: 'NO_RATE', reason: reasonOf(row) },
    tenantCharges: [],
    platformCost: null,
    createdAt: row.createdAt.toISOString(),
  };
}

function reasonOf({ kind, seconds, trunkOwner }: UsageRecord): string {
  if (kind !== 'CALL') return 'Only calls have a carrier cost.';
  if (seconds === 0) return 'The call was not answered.';
  if (trunkOwner === null) return 'The call did not use a trunk.';
  return 'No rate sheet applies to this call.';
}
