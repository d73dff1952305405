/** wrapup:end: the agent is ready for the next call before the wrap-up time is over. */
import { endWrapUp } from '@clarion/core/agent/wrap-up';
import type { AgentNamespace, AgentSocket, Deps } from '../deps.ts';
import type { Engine } from '../engine/runner.ts';
import { presentAgent } from '../agents/session.ts';
import { tellAgent } from '../agents/tell.ts';
import type { Handlers } from './serve.ts';

/** Without a wrap-up there is nothing to end, and that is no error. */
export function wrapUpHandlers(
  socket: AgentSocket,
  { deps, engine, agents }: { deps: Deps; engine: Engine; agents: AgentNamespace },
): Pick<Handlers, 'wrapup:end'> {
  const { agentId } = socket.data;
  return {
    async 'wrapup:end'() {
      if (await endWrapUp(deps.db, agentId, deps.now())) {
        await tellAgent(deps.db, agents, agentId);
        await engine.dispatchForAgent(agentId);
      }
      return { agent: presentAgent(await deps.db.agent.findUniqueOrThrow({ where: { id: agentId } })) };
    },
  };
}
