/** The trunks that a consumer's lines may use: its own, and platform trunks that the operator has made available. */
import { notFound } from '@clarion/protocol';
import type { ShownTrunk } from '@clarion/protocol/v1/tenant/trunks';
import type { Prisma } from '@clarion/db';
import { onlyTenantId } from '../context.ts';
import type { Ctx } from '../context.ts';
import { presentTrunk, presentTrunkSummary, withState } from './present.ts';
import type { TrunkRow } from './present.ts';

/** A platform trunk that is not active yet is not visible. */
const visibleTo = (consumerId: number): Prisma.SipTrunkWhereInput => ({
  OR: [{ consumerId }, { consumerId: null, status: { notIn: ['DRAFT', 'PENDING'] } }],
});

export async function findTrunk({ db, consumer }: Ctx, id: number): Promise<TrunkRow | null> {
  return db.sipTrunk.findFirst({ where: { id, ...visibleTo(consumer.id) }, include: withState });
}

export async function getTrunk(ctx: Ctx, id: number): Promise<ShownTrunk> {
  const trunk = await findTrunk(ctx, id);
  if (!trunk) throw notFound('The trunk');
  return presentFor(ctx, trunk);
}

/** Oldest first. */
export async function listTrunks(ctx: Ctx): Promise<ShownTrunk[]> {
  const { db, consumer } = ctx;
  const trunks = await db.sipTrunk.findMany({
    where: visibleTo(consumer.id),
    orderBy: { id: 'asc' },
    include: withState,
  });
  return trunks.map((trunk) => presentFor(ctx, trunk));
}

const presentFor = (ctx: Ctx, trunk: TrunkRow): ShownTrunk =>
  onlyTenantId(ctx) === null || trunk.consumerId === null
    ? presentTrunk(trunk, ctx.settings.ingressDomain)
    : presentTrunkSummary(trunk);
