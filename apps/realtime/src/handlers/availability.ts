/** availability:set: whether queues offer the agent calls. */
import { setShift } from '@clarion/core/agent/set-shift';
import type { CallEngine } from '../call-engine.ts';
import type { Deps } from '../deps.ts';
import { emitAgentUpdated } from '../notify/notify-agent.ts';
import { presentAgent } from '../presenters/present-agent.ts';
import type { Handler } from '../sockets/serve.ts';
import type { AgentNamespace, AgentSocket } from '../sockets/types.ts';

export function setAvailability(
  socket: AgentSocket,
  { deps, engine, agents }: { deps: Deps; engine: CallEngine; agents: AgentNamespace },
): Handler<'availability:set'> {
  return async ({ status }) => {
    const { agentId } = socket.data;
    await setShift(deps.db, agentId, status, deps.now());
    const agent = await deps.db.agent.findUniqueOrThrow({ where: { id: agentId } });
    emitAgentUpdated(agents, agent);
    await deps.boardFeed.changed(socket.data.tenantId);
    if (status === 'AVAILABLE') await engine.dispatchForAgent(agentId);
    return { agent: presentAgent(agent) };
  };
}
