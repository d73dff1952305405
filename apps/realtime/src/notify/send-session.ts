/** Sends an app the complete state of its agent. */
import type { Deps } from '../deps.ts';
import { buildAgentSession } from '../presenters/agent-session.ts';
import type { AgentSocket } from '../sockets/types.ts';

export async function sendSession(deps: Deps, socket: AgentSocket): Promise<void> {
  socket.emit('session', await buildAgentSession(deps, socket.data, deps.now()));
}
