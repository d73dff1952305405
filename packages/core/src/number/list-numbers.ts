/** The numbers of SIP lines on their trunks. A released number stays as a record of the tenant and the line that had it. */
import type { ListNumbers, NumberResource } from '@clarion/protocol/v1/tenant/numbers';
import { scopeOf, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';

/** Oldest first. @throws 404 for an unknown tenant */
export async function listNumbers(ctx: Ctx, { status, tenantRef }: ListNumbers): Promise<NumberResource[]> {
  const tenant = tenantRef === null ? null : await tenantOf(ctx, tenantRef);
  // AVAILABLE and PORTING are reserved: no number has them.
  if (status === 'AVAILABLE' || status === 'PORTING') return [];
  const numbers = await ctx.db.phoneNumber.findMany({
    where: {
      ...scopeOf(ctx),
      ...(tenant && { tenantId: tenant.id }),
      ...(status !== null && { status }),
    },
    include: { sipTrunk: { select: { name: true } } },
    orderBy: { id: 'asc' },
  });
  return numbers.map(({ sipTrunk, ...number }) => ({
    id: number.id,
    number: number.number,
    sipTrunkId: number.sipTrunkId,
    trunkName: sipTrunk.name,
    origin: number.origin,
    status: number.status,
    tenantRef: number.tenantRef,
    channelRef: number.channelRef,
    verifiedAt: number.verifiedAt?.toISOString() ?? null,
    createdAt: number.createdAt.toISOString(),
    releasedAt: number.releasedAt?.toISOString() ?? null,
  }));
}
