/** Deletes a suspended tenant with everything of it. Its numbers stay on record, released. */
import { ApiError } from '@clarion/protocol';
import { notify } from '@clarion/db';
import { audit, inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';

/** @throws 409 tenant_active, call_active */
export async function deleteTenant(ctx: Ctx, ref: string): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const { db } = inner;
    const { id: tenantId } = await tenantOf(inner, ref);
    // A call that begins meanwhile refers to this row, and so waits for the lock and then finds no tenant.
    await db.$queryRaw`select 1 from "Tenant" where "id" = ${tenantId} for update`;
    const tenant = await tenantOf(inner, ref);
    if (tenant.status !== 'SUSPENDED') throw new ApiError('tenant_active');
    if ((await db.liveCall.count({ where: { tenantId } })) > 0) {
      throw new ApiError('call_active', { message: 'A call of this tenant has not ended yet.' });
    }
    await db.phoneNumber.updateMany({
      where: { tenantId, status: 'ASSIGNED' },
      data: { status: 'RELEASED', releasedAt: inner.now },
    });
    // Lines first: a queue that a line names cannot go.
    await db.channel.deleteMany({ where: { tenantId } });
    await db.event.deleteMany({ where: { tenantId } });
    await db.tenant.delete({ where: { id: tenantId } });
    await audit(inner, { action: 'tenant.delete', target: ref, tenantId });
    await notify(db, 'clarion_tenant', tenantId);
  });
}
