/** Deletes an IVR flow. Calls in it continue; its audio assets and queues can then be deleted. */
import { audit, inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { ivrFlowOf } from './flow-of.ts';

export async function deleteIvrFlow(ctx: Ctx, tenantRef: string, ref: string): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const tenant = await tenantOf(inner, tenantRef);
    const { id } = await ivrFlowOf(inner, tenant, ref);
    await inner.db.ivrFlow.deleteMany({ where: { id } });
    await audit(inner, { action: 'ivr_flow.delete', target: ref, tenantId: tenant.id });
  });
}
