/** What every verb begins with by which a consumer changes its own trunks. */
import { ApiError, notFound } from '@clarion/protocol';
import type { SipTrunk } from '@clarion/db';
import type { Ctx } from '../context.ts';

/** Before the trunk is looked up. @throws 403 self_service_off */
export function assertSelfService({ consumer }: Pick<Ctx, 'consumer'>): void {
  if (consumer.selfService === 'OFF') throw new ApiError('self_service_off');
}

/** A trunk of the account; platform trunks are not found. @throws 404 */
export async function ownTrunkOf({ db, consumer }: Ctx, id: number): Promise<SipTrunk> {
  const trunk = await db.sipTrunk.findFirst({ where: { id, consumerId: consumer.id } });
  if (!trunk) throw notFound('The trunk');
  return trunk;
}

/** The same, locked until the transaction ends, so that concurrent changes of a trunk decide one after the other. */
export async function lockOwnTrunk(ctx: Ctx, id: number): Promise<SipTrunk> {
  await ctx.db.$queryRaw`
    select 1 from "SipTrunk" where "id" = ${id} and "consumerId" = ${ctx.consumer.id} for no key update`;
  return ownTrunkOf(ctx, id);
}

/** @throws 409 suspended */
export function assertNotSuspended({ status }: SipTrunk): void {
  if (status === 'SUSPENDED') throw new ApiError('suspended');
}
