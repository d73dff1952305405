/** Agent row → resource. */
import type { AgentResource } from '@clarion/protocol/v1/tenant/agents';
import type { AgentRow } from './agent-of.ts';

export const presentAgent = (
  agent: Omit<AgentRow, 'tenantId' | 'updatedAt' | 'wakeable'>,
  tenantRef: string,
): AgentResource => ({
  id: agent.id,
  ref: agent.ref,
  tenantRef,
  name: agent.name,
  role: agent.role,
  doNotDisturb: agent.doNotDisturb,
  // A ringing agent is not on a call yet.
  availability: agent.currentCallId !== null && agent.onCall ? 'ON_CALL' : agent.shift,
  connected: agent.connections.length > 0,
  deviceCount: new Set(agent.connections.map(({ deviceId }) => deviceId)).size,
  createdAt: agent.createdAt.toISOString(),
});
