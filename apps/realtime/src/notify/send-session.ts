/** Sends an app the complete state of its agent. */
import type { Deps } from '../deps.ts';
import { buildAgentSession, currentBasis } from '../presenters/agent-session.ts';
import type { AgentSocket } from '../sockets/types.ts';

/** A call that changes faster than it is read is sent as it is: its own messages follow. */
const MAX_SESSIONS = 3;

/**
 * A message of a step that was committed after the session was read may have been sent before it. Such a session would bring an ended call
 * back, so another one follows it.
 */
export async function sendSession(deps: Deps, socket: AgentSocket): Promise<void> {
  for (let sent = 0; sent < MAX_SESSIONS; sent += 1) {
    const { session, basis } = await buildAgentSession(deps, socket.data, deps.now());
    socket.emit('session', session);
    if ((await currentBasis(deps, socket.data)) === basis) return;
  }
}
