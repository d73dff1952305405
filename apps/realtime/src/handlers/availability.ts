/** availability:set: the agent chooses to take queue calls or not. */
import { setShift } from '@clarion/core/agent/set-shift';
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
    await setShift(deps.db, agentId, status, deps.now());
    const agent = await deps.db.agent.findUniqueOrThrow({ where: { id: agentId } });
    await tellAgent(deps.db, agents, agentId);
    await deps.boardFeed.changed(socket.data.tenantId);
    if (status === 'AVAILABLE') await engine.dispatchForAgent(agentId);
    return { agent: presentAgent(agent) };
  };
}
