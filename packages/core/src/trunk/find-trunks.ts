/** The trunks a consumer's lines may use: its own, and the platform's that the operator has opened. */
import { notFound } from '@clarion/protocol';
import type { ShownTrunk } from '@clarion/protocol/v1/tenant/trunks';
import type { Prisma, SipTrunk } from '@clarion/db';
import { onlyTenantId } from '../context.ts';
import type { Ctx } from '../context.ts';
import { presentTrunk, presentTrunkSummary } from './present.ts';

/** A platform trunk that the operator still prepares is nobody's business. */
const visibleTo = (consumerId: number): Prisma.SipTrunkWhereInput => ({
  OR: [{ consumerId }, { consumerId: null, status: { notIn: ['DRAFT', 'PENDING'] } }],
});

export async function findTrunk({ db, consumer }: Ctx, id: number): Promise<SipTrunk | null> {
  return db.sipTrunk.findFirst({ where: { id, ...visibleTo(consumer.id) } });
}

export async function getTrunk(ctx: Ctx, id: number): Promise<ShownTrunk> {
  const trunk = await findTrunk(ctx, id);
  if (!trunk) throw notFound('The trunk');
  return presentFor(ctx, trunk);
}

/** Oldest first. */
export async function listTrunks(ctx: Ctx): Promise<ShownTrunk[]> {
  const { db, consumer } = ctx;
  const trunks = await db.sipTrunk.findMany({ where: visibleTo(consumer.id), orderBy: { id: 'asc' } });
  return trunks.map((trunk) => presentFor(ctx, trunk));
}

const presentFor = (ctx: Ctx, trunk: SipTrunk): ShownTrunk =>
  onlyTenantId(ctx) === null || trunk.consumerId === null
    ? presentTrunk(trunk, ctx.settings.ingressDomain)
    : presentTrunkSummary(trunk);
