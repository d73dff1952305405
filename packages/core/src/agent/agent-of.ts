/** Finds an agent of the tenant. Agents of other tenants and deleted agents are not found. */
import { notFound } from '@clarion/protocol';
import type { Prisma, Tenant } from '@clarion/db';
import type { Ctx } from '../context.ts';

/** The relations that the presenter needs. */
export const withConnections = { connections: { select: { deviceId: true } } } satisfies Prisma.AgentInclude;
export type AgentRow = Prisma.AgentGetPayload<{ include: typeof withConnections }>;

export async function agentOf(ctx: Ctx, tenant: Tenant, ref: string): Promise<AgentRow> {
  const agent = await findAgent(ctx, tenant, ref);
  if (!agent) throw notFound('The agent');
  return agent;
}

export async function findAgent(ctx: Ctx, tenant: Tenant, ref: string): Promise<AgentRow | null> {
  return ctx.db.agent.findFirst({
    where: { tenantId: tenant.id, ref, deletedAt: null },
    include: withConnections,
  });
}
