/** Finds a call of the account. Calls of other accounts, or outside a launched person's tenant, are not found. */
import { notFound } from '@clarion/protocol';
import type { Prisma } from '@clarion/db';
import { scopeOf } from '../context.ts';
import type { Ctx } from '../context.ts';

const withTenantRef = { tenant: { select: { ref: true } } } satisfies Prisma.CallInclude;
export type CallRow = Prisma.CallGetPayload<{ include: typeof withTenantRef }>;

export async function callOf(ctx: Ctx, callId: number): Promise<CallRow> {
  const call = await ctx.db.call.findFirst({
    where: { id: callId, ...scopeOf(ctx) },
    include: withTenantRef,
  });
  if (!call) throw notFound('The call');
  return call;
}
