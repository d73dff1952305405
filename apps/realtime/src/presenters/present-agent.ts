/** An agent as their own apps see them. */
import type { Agent } from '@clarion/db';
import type { AgentState } from '@clarion/protocol/socket';

export function presentAgent(agent: Agent): AgentState {
  return {
    agentId: agent.id,
    agentRef: agent.ref,
    name: agent.name,
    role: agent.role,
    availability: agent.currentCallId !== null && agent.onCall ? 'ON_CALL' : agent.shift,
    shift: agent.shift,
    doNotDisturb: agent.doNotDisturb,
    wrapUpUntil: agent.wrapUpUntil?.toISOString() ?? null,
  };
}
