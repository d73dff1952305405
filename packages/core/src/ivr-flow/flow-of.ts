/** Finds an IVR flow of the tenant. IVR flows of other tenants are not found. */
import { notFound } from '@clarion/protocol';
import type { Prisma, Tenant } from '@clarion/db';
import type { Ctx } from '../context.ts';

export const withLine = { channel: { select: { ref: true } } } satisfies Prisma.IvrFlowInclude;
export type IvrFlowRow = Prisma.IvrFlowGetPayload<{ include: typeof withLine }>;

export async function ivrFlowOf({ db }: Ctx, tenant: Tenant, ref: string): Promise<IvrFlowRow> {
  const flow = await db.ivrFlow.findUnique({
    where: { tenantId_ref: { tenantId: tenant.id, ref } },
    include: withLine,
  });
  if (!flow) throw notFound('The IVR flow');
  return flow;
}
