/** Authenticates agents' sockets by their token (core/agent/connect-agent). A socket is closed when its token expires. */
import { connectAgent } from '@clarion/core/agent/connect-agent';
import { ApiError } from '@clarion/protocol';
import { agentHandshake } from '@clarion/protocol/socket';
import type { Deps } from '../deps.ts';
import { runAt } from '../lib/run-at.ts';
import { dismiss } from '../sockets/dismiss.ts';
import { answerHandshake } from '../sockets/handshake.ts';
import type { AgentNamespace, AgentSocket } from '../sockets/types.ts';
import { isAllowedOrigin } from './allowed-origin.ts';

export function authenticateAgents(agents: AgentNamespace, deps: Deps): void {
  agents.use((socket, next) =>
    answerHandshake(authenticate(socket, deps), next, deps.log.child({ of: 'agent' })),
  );
}

async function authenticate(socket: AgentSocket, deps: Deps): Promise<void> {
  const auth = agentHandshake.safeParse(socket.handshake.auth);
  // PostgreSQL cannot store NUL in a text.
  if (!auth.success || auth.data.deviceId.includes('\0')) {
    throw new ApiError('unauthorized', { message: 'The handshake must contain a token and a deviceId.' });
  }
  const { consumer, tenant, agent, signingKeyId, expiresAt } = await connectAgent(
    deps,
    auth.data.token,
    deps.now(),
  );
  if (!isAllowedOrigin(socket.handshake.headers.origin, consumer.allowedOrigins, deps.baseUrl)) {
    throw new ApiError('forbidden', {
      message: 'The account does not allow agents to connect from this origin.',
    });
  }
  socket.data = {
    agentId: agent.id,
    agentRef: agent.ref,
    tenantId: tenant.id,
    consumerId: consumer.id,
    deviceId: auth.data.deviceId,
    signingKeyId,
    expiresAt,
  };
}

export function closeOnExpiry(socket: AgentSocket, deps: Deps): void {
  const cancel = runAt(socket.data.expiresAt, deps, () =>
    dismiss(socket, new ApiError('unauthorized', { message: 'The token has expired.' })),
  );
  socket.on('disconnect', cancel);
}
