/** wrapup:end: the agent ends their wrap-up early. */
import { endWrapUp } from '@clarion/core/agent/wrap-up';
import type { CallEngine } from '../call-engine.ts';
import type { Deps } from '../deps.ts';
import { notifyAgentUpdated } from '../notify/notify-agent.ts';
import { presentAgent } from '../presenters/present-agent.ts';
import type { Handlers } from '../sockets/serve.ts';
import type { AgentNamespace, AgentSocket } from '../sockets/types.ts';

/** Without a wrap-up there is nothing to end, which is not an error. */
export function wrapUpHandlers(
  socket: AgentSocket,
  { deps, engine, agents }: { deps: Deps; engine: CallEngine; agents: AgentNamespace },
): Pick<Handlers, 'wrapup:end'> {
  const { agentId } = socket.data;
  return {
    async 'wrapup:end'() {
      if (await endWrapUp(deps.db, agentId, deps.now())) {
        await notifyAgentUpdated(deps.db, agents, agentId);
        await engine.dispatchForAgent(agentId);
      }
      return { agent: presentAgent(await deps.db.agent.findUniqueOrThrow({ where: { id: agentId } })) };
    },
  };
}
