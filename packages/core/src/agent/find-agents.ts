/** Reading agents. */
import type { AgentResource } from '@clarion/protocol/v1/tenant/agents';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { agentOf, withConnections } from './agent-of.ts';
import { presentAgent } from './present.ts';

export async function getAgent(ctx: Ctx, tenantRef: string, ref: string): Promise<AgentResource> {
  const tenant = await tenantOf(ctx, tenantRef);
  return presentAgent(await agentOf(ctx, tenant, ref), tenantRef);
}

/** Oldest first. */
export async function listAgents(ctx: Ctx, tenantRef: string): Promise<AgentResource[]> {
  const tenant = await tenantOf(ctx, tenantRef);
  const agents = await ctx.db.agent.findMany({
    where: { tenantId: tenant.id, deletedAt: null },
    orderBy: { id: 'asc' },
    include: withConnections,
  });
  return agents.map((agent) => presentAgent(agent, tenantRef));
}
