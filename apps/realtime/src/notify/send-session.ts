/** Sends an app the complete state of its agent. */
import type { Session } from '@clarion/protocol/socket';
import type { Deps } from '../deps.ts';
import { buildAgentSession, currentCallVersion } from '../presenters/agent-session.ts';
import type { AgentSocketData } from '../sockets/types.ts';

/** The app's socket, as far as a session needs it. */
interface SessionSocket {
  readonly data: Pick<AgentSocketData, 'agentId' | 'tenantId' | 'consumerId'>;
  emit(message: 'session', session: Session): unknown;
}

/** A call that changes faster than it is read is sent as it is: its own messages follow. */
const MAX_SESSIONS = 3;

/**
 * A message of a step that was committed after the session was read may have been sent before it. Such a session would bring an ended call
 * back, so another one follows it.
 */
export async function sendSession(
  deps: Pick<Deps, 'db' | 'agentRows' | 'names' | 'turn' | 'now'>,
  socket: SessionSocket,
): Promise<void> {
  for (let sent = 0; sent < MAX_SESSIONS; sent += 1) {
    const { session, callVersion } = await buildAgentSession(deps, socket.data, deps.now());
    socket.emit('session', session);
    if ((await currentCallVersion(deps, socket.data)) === callVersion) return;
  }
}
