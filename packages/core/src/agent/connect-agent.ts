/** Admits an agent's app: checks token, consumer, tenant and agent. The token's name and role are applied at every connection. */
import { ApiError, unauthorized } from '@clarion/protocol';
import { notify } from '@clarion/db';
import type { Agent, Consumer, Database, Tenant } from '@clarion/db';
import type { SecretBox } from '../security/secret-box.ts';
import { verifyAgentToken } from './verify-agent-token.ts';
import { keysIn } from './token-keys.ts';

export interface ConnectedAgent {
  consumer: Consumer;
  tenant: Tenant;
  agent: Agent;
  signingKeyId: number;
  /** When the token expires and the socket is closed. */
  expiresAt: Date;
}

/** @throws ApiError unauthorized, consumer_suspended or tenant_suspended */
export async function connectAgent(
  { db, secrets }: { db: Database; secrets: SecretBox },
  token: string,
  now: Date,
): Promise<ConnectedAgent> {
  const claims = await verifyAgentToken(token, keysIn(db, secrets), now);
  const consumer = await db.consumer.findUniqueOrThrow({ where: { id: claims.consumerId } });
  if (consumer.status === 'SUSPENDED') throw new ApiError('consumer_suspended');
  const tenant = await db.tenant.findUnique({
    where: { consumerId_ref: { consumerId: consumer.id, ref: claims.tenantRef } },
  });
  if (!tenant) throw unauthorized("The token's tnt claim does not match a tenant of this account.");
  if (tenant.status === 'SUSPENDED') throw new ApiError('tenant_suspended');
  const agent = await appliedAgent(db, tenant.id, claims);
  const { signingKeyId, expiresAt } = claims;
  return { consumer, tenant, agent, signingKeyId, expiresAt };
}

/** Creates the agent at the first connection. A deleted agent is rejected until it is PUT again. */
async function appliedAgent(
  db: Database,
  tenantId: number,
  { agentRef, name, role }: { agentRef: string; name: string | null; role: Agent['role'] | null },
): Promise<Agent> {
  const key = { tenantId_ref: { tenantId, ref: agentRef } };
  const applied = { name: name ?? agentRef, ...(role && { role }) };
  const known = await db.agent.findUnique({ where: key });
  if (known?.deletedAt) throw unauthorized('The agent has been deleted.');
  if (known && known.name === applied.name && (role === null || known.role === role)) return known;
  // Two devices may connect for the first time concurrently, so this is an upsert. Its result shows whether the agent was deleted
  // meanwhile.
  const agent = await db.agent.upsert({
    where: key,
    create: { tenantId, ref: agentRef, ...applied },
    update: applied,
  });
  if (agent.deletedAt) throw unauthorized('The agent has been deleted.');
  // An agent who is no longer a supervisor stops monitoring, on their other devices too.
  if (known && known.role !== agent.role) await notify(db, 'clarion_agent', agent.id);
  return agent;
}
