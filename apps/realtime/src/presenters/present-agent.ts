/** An agent as their own apps see them. */
import type { Agent } from '@clarion/db';
import type { AgentState } from '@clarion/protocol/socket';

/** The columns of an agent's row that the apps see. */
export type PresentedAgent = Pick<
  Agent,
  'id' | 'ref' | 'name' | 'role' | 'currentCallId' | 'onCall' | 'shift' | 'doNotDisturb' | 'wrapUpUntil'
>;

export function presentAgent(agent: PresentedAgent): AgentState {
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
