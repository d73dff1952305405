/** Creates or replaces an agent; a deleted one comes back, new. A role left out is kept. */
import { notify } from '@clarion/db';
import type { AgentResource, PutAgent } from '@clarion/protocol/v1/tenant/agents';
import { audit, inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { agentOf } from './agent-of.ts';
import { presentAgent } from './present.ts';

export async function putAgent(
  ctx: Ctx,
  tenantRef: string,
  ref: string,
  input: PutAgent,
): Promise<AgentResource> {
  return inTransaction(ctx, async (inner) => {
    const { db } = inner;
    const tenant = await tenantOf(inner, tenantRef);
    const changed = { name: input.name, deletedAt: null, ...(input.role && { role: input.role }) };
    const { id } = await db.agent.upsert({
      where: { tenantId_ref: { tenantId: tenant.id, ref } },
      create: { tenantId: tenant.id, ref, ...changed },
      update: changed,
    });
    await audit(inner, {
      action: 'agent.put',
      target: ref,
      tenantId: tenant.id,
      details: { name: input.name, role: input.role },
    });
    await notify(db, 'clarion_agent', id);
    return presentAgent(await agentOf(inner, tenant, ref), tenantRef);
  });
}
