/** Reading IVR flows. */
import type { IvrFlowResource } from '@clarion/protocol/v1/tenant/ivr-flows';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { ivrFlowOf, withLine } from './flow-of.ts';
import { presentIvrFlow } from './present.ts';

export async function getIvrFlow(ctx: Ctx, tenantRef: string, ref: string): Promise<IvrFlowResource> {
  return presentIvrFlow(await ivrFlowOf(ctx, await tenantOf(ctx, tenantRef), ref));
}

/** Oldest first. */
export async function listIvrFlows(ctx: Ctx, tenantRef: string): Promise<IvrFlowResource[]> {
  const tenant = await tenantOf(ctx, tenantRef);
  const flows = await ctx.db.ivrFlow.findMany({
    where: { tenantId: tenant.id },
    orderBy: { id: 'asc' },
    include: withLine,
  });
  return flows.map(presentIvrFlow);
}
