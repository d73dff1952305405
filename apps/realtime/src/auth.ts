/** Lets agents' sockets in: the token decides (core/agent/connect-agent), and its expiry ends the socket. */
import { connectAgent } from '@clarion/core/agent/connect-agent';
import { ApiError } from '@clarion/protocol';
import { agentHandshake } from '@clarion/protocol/socket';
import { isAllowedOrigin } from './agents/allowed-origin.ts';
import type { AgentNamespace, AgentSocket, Deps } from './deps.ts';

/** setTimeout's own limit; a token that lives longer than 24 days is looked at again then. */
const MAX_TIMER_MS = 2_147_483_647;

/** A refusal of the handshake: `data` is the error of the protocol. */
class Refused extends Error {
  readonly data: ReturnType<ApiError['toBody']>['error'];
  constructor(error: ApiError) {
    super(error.code);
    this.data = error.toBody().error;
  }
}

export function guardAgents(agents: AgentNamespace, deps: Deps): void {
  agents.use((socket, next) => answerHandshake(admit(socket, deps), next, deps.log.child({ of: 'agent' })));
}

/** Lets a socket in, or says in words that apps can read why not. */
export function answerHandshake(
  admitted: Promise<void>,
  next: (refused?: Error) => void,
  log: Deps['log'],
): void {
  admitted.then(
    () => next(),
    (error: unknown) => {
      if (error instanceof ApiError) {
        log.info({ code: error.code, reason: error.message }, 'socket rejected');
        return next(new Refused(error));
      }
      log.error({ err: error }, 'failed to authenticate a socket');
      next(new Refused(new ApiError('internal_error')));
    },
  );
}

async function admit(socket: AgentSocket, deps: Deps): Promise<void> {
  const auth = agentHandshake.safeParse(socket.handshake.auth);
  // PostgreSQL holds no NUL.
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

/** A socket of agents or of the dashboard. */
export interface Dismissable {
  emit(message: 'error', body: ReturnType<ApiError['toBody']>['error']): unknown;
  disconnect(close: true): unknown;
}

/** Says why, then closes. */
export function dismiss(socket: Dismissable, error: ApiError): void {
  socket.emit('error', error.toBody().error);
  socket.disconnect(true);
}

export function endOnExpiry(socket: AgentSocket, deps: Deps): void {
  const stop = atTime(socket.data.expiresAt, deps, () =>
    dismiss(socket, new ApiError('unauthorized', { message: 'The token has expired.' })),
  );
  socket.on('disconnect', stop);
}

/** @returns what calls it off */
export function atTime(when: Date, deps: Pick<Deps, 'now'>, work: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = () => {
    const left = when.getTime() - deps.now().getTime();
    const step = Math.min(Math.max(0, left), MAX_TIMER_MS);
    timer = setTimeout(() => (left > MAX_TIMER_MS ? arm() : work()), step);
  };
  arm();
  return () => clearTimeout(timer);
}
