/** availability:set: the agent chooses to take queue calls or not. */
import type { AgentNamespace, AgentSocket, Deps } from '../deps.ts';
import type { Engine } from '../engine/runner.ts';
import { presentAgent } from '../agents/session.ts';
import { tellAgent } from '../agents/tell.ts';
import type { Handler } from './serve.ts';

export function setAvailability(
  socket: AgentSocket,
  { deps, engine, agents }: { deps: Deps; engine: Engine; agents: AgentNamespace },
): Handler<'availability:set'> {
  return async ({ status }) => {
    const { agentId } = socket.data;
    // Whoever comes on shift goes to the back of the line of idle agents; saying it twice changes nothing.
    await deps.db.agent.updateMany({
      where: { id: agentId, shift: { not: status } },
      data: { shift: status, consecutiveMissed: 0, idleSince: deps.now() },
    });
    const agent = await deps.db.agent.findUniqueOrThrow({ where: { id: agentId } });
    await tellAgent(deps.db, agents, agentId);
    if (status === 'AVAILABLE') await engine.dispatchForAgent(agentId);
    return { agent: presentAgent(agent) };
  };
}
