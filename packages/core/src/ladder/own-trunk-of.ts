/** A trunk of the account itself: what a carrier sent to a platform trunk is the operator's to see. */
import { notFound } from '@clarion/protocol';
import type { SipTrunk } from '@clarion/db';
import type { Ctx } from '../context.ts';

export async function ownTrunkOf({ db, consumer }: Ctx, id: number): Promise<SipTrunk> {
  const trunk = await db.sipTrunk.findFirst({ where: { id, consumerId: consumer.id } });
  if (!trunk) throw notFound('The trunk');
  return trunk;
}
