/** Do-not-disturb: calls to the agent's personal line ring nothing. */
import { notify } from '@clarion/db';
import type { AgentResource, PutDoNotDisturb } from '@clarion/protocol/v1/tenant/agents';
import { audit, inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { agentOf, withConnections } from './agent-of.ts';
import { presentAgent } from './present.ts';

export async function putDoNotDisturb(
  ctx: Ctx,
  tenantRef: string,
  ref: string,
  { enabled }: PutDoNotDisturb,
): Promise<AgentResource> {
  return inTransaction(ctx, async (inner) => {
    const { db } = inner;
    const tenant = await tenantOf(inner, tenantRef);
    const { id } = await agentOf(inner, tenant, ref);
    const agent = await db.agent.update({
      where: { id },
      data: { doNotDisturb: enabled },
      include: withConnections,
    });
    await audit(inner, {
      action: 'agent.put_do_not_disturb',
      target: ref,
      tenantId: tenant.id,
      details: { enabled },
    });
    await notify(db, 'clarion_agent', id);
    return presentAgent(agent, tenantRef);
  });
}
