/** The number of a SIP line on its trunk: assigned when the line is saved, released when the line no longer has it. */
import type { Channel, SipTrunk, Tenant } from '@clarion/db';
import type { Ctx } from '../context.ts';

export async function assignNumber(
  ctx: Ctx,
  tenant: Tenant,
  channel: Pick<Channel, 'id' | 'ref' | 'address'>,
  trunk: Pick<SipTrunk, 'id' | 'consumerId'>,
): Promise<void> {
  const { db, consumer } = ctx;
  const current = await db.phoneNumber.findUnique({ where: { channelId: channel.id } });
  if (current?.number === channel.address && current.sipTrunkId === trunk.id) return;
  if (current) await releaseNumber(ctx, channel.id);
  const held = { consumerId: consumer.id, sipTrunkId: trunk.id, number: channel.address };
  const assigned = {
    channelId: channel.id,
    tenantId: tenant.id,
    tenantRef: tenant.ref,
    channelRef: channel.ref,
    status: 'ASSIGNED',
    releasedAt: null,
  } as const;
  const before = await db.phoneNumber.findFirst({ where: { ...held, status: 'RELEASED' } });
  if (before) {
    // Whether the carrier sends the calls is to be shown again for another tenant.
    const verifiedAt = before.tenantId === tenant.id ? before.verifiedAt : null;
    await db.phoneNumber.update({ where: { id: before.id }, data: { ...assigned, verifiedAt } });
    return;
  }
  const origin = trunk.consumerId === null ? 'PLATFORM' : 'BYOC';
  await db.phoneNumber.create({ data: { ...held, ...assigned, origin, createdAt: ctx.now } });
}

/** The row stays as a record of the tenant and the line that had the number. */
export async function releaseNumber({ db, now }: Ctx, channelId: number): Promise<void> {
  await db.phoneNumber.updateMany({
    where: { channelId },
    data: { channelId: null, status: 'RELEASED', releasedAt: now },
  });
}
