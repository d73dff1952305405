/** Deletes a line and releases its number. Its live calls continue. */
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { releaseNumber } from './assign-number.ts';
import { channelOf } from './channel-of.ts';
import { lockTenant } from './lock-tenant.ts';

export async function deleteChannel(ctx: Ctx, tenantRef: string, ref: string): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const tenant = await lockTenant(inner, tenantRef);
    const { id, address } = await channelOf(inner, tenant, ref);
    await releaseNumber(inner, id);
    await inner.db.channel.deleteMany({ where: { id } });
    await audit(inner, {
      action: 'channel.delete',
      target: ref,
      tenantId: tenant.id,
      details: { address },
    });
  });
}
