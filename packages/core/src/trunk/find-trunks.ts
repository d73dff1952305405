/** The trunks a consumer's lines may use: its own, and the platform's that the operator has opened. */
import { notFound } from '@clarion/protocol';
import type { TrunkResource } from '@clarion/protocol/v1/trunks';
import type { Prisma, SipTrunk } from '@clarion/db';
import type { Ctx } from '../context.ts';
import { presentTrunk } from './present.ts';

/** A platform trunk that the operator still prepares is nobody's business. */
const visibleTo = (consumerId: number): Prisma.SipTrunkWhereInput => ({
  OR: [{ consumerId }, { consumerId: null, status: { notIn: ['DRAFT', 'PENDING'] } }],
});

export async function findTrunk({ db, consumer }: Ctx, id: number): Promise<SipTrunk | null> {
  return db.sipTrunk.findFirst({ where: { id, ...visibleTo(consumer.id) } });
}

export async function getTrunk(ctx: Ctx, id: number): Promise<TrunkResource> {
  const trunk = await findTrunk(ctx, id);
  if (!trunk) throw notFound('The trunk');
  return presentTrunk(trunk, ctx.settings.ingressDomain);
}

/** Oldest first. */
export async function listTrunks({ db, consumer, settings }: Ctx): Promise<TrunkResource[]> {
  const trunks = await db.sipTrunk.findMany({ where: visibleTo(consumer.id), orderBy: { id: 'asc' } });
  return trunks.map((trunk) => presentTrunk(trunk, settings.ingressDomain));
}
