import { io, type Socket } from 'socket.io-client';
import type {
  Ack,
  ClientMessage,
  ClientPayload,
  ClientReplies,
  ClientToServer,
  ServerMessage,
  ServerToClient,
} from '@clarion/protocol/socket';
import { reconnectDelayMs } from './backoff.ts';
import { Emitter } from './emitter.ts';
import { ClarionError, serviceError } from './errors.ts';
import { REQUEST_TIMEOUT_MS, type AgentLink, type ConnectionState, type LinkEvents } from './link.ts';
import { fetchToken, refreshDelayMs, type GetToken } from './token.ts';

type AgentSocket = Socket<ServerToClient, ClientToServer>;

/** The names of the protocol's messages. They are repeated here because the published types contain no values. */
type Namespace = '/agent' | '/dashboard';

/** How long one connection attempt may take. */
export const CONNECT_TIMEOUT_MS = 8_000;
/** After this many consecutive rejections of an agent who was connected before, the rejection is final. */
export const REFUSALS_BEFORE_GIVING_UP = 3;

const SERVER_MESSAGES: readonly ServerMessage[] = [
  'session',
  'watching',
  'call:incoming',
  'call:withdrawn',
  'call:updated',
  'call:ended',
  'agent:updated',
  'board:call',
  'board:counters',
  'board:agents',
  'board:ended',
  'monitor:updated',
  'monitor:ended',
  'error',
];

export interface SocketLinkOptions {
  url: string;
  /** `/dashboard`: for dashboard pages, which authenticate with a ticket instead of a token. */
  namespace?: Namespace;
  getToken: GetToken;
  deviceId: string;
  sdk: string;
}

/**
 * A socket of one's own. Every attempt uses a new socket with a fresh token. Before a token expires, the next socket is connected
 * before the old one is closed, so no message is missed.
 */
export class SocketLink extends Emitter<LinkEvents> implements AgentLink {
  readonly leading = true;
  readonly #options: SocketLinkOptions;
  #socket: AgentSocket | null = null;
  /** Closes the socket that is connecting. */
  #abandon: (() => void) | null = null;
  /** The socket that `renew` replaces. */
  #suspect: AgentSocket | null = null;
  /** Replaced by a socket with a newer token, and kept as long as a response may still arrive on it. */
  readonly #retired = new Set<AgentSocket>();
  #state: ConnectionState = 'connecting';
  #attempt = 0;
  #refusals = 0;
  #everConnected = false;
  #connecting = false;
  /**
   * Whether a message has arrived since the next socket began to connect. The first session of that socket may have been read before the
   * message was sent.
   */
  #heardSinceConnecting = false;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #refreshTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: SocketLinkOptions) {
    super();
    this.#options = options;
    void this.#connect();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  async request<M extends ClientMessage>(message: M, payload: ClientPayload<M>): Promise<ClientReplies[M]> {
    const socket = this.#socket;
    if (!socket?.connected)
      throw new ClarionError('connection_lost', 'There is no connection to the service.');
    return new Promise((resolve, reject) => {
      const lost = () =>
        fail(new ClarionError('connection_lost', 'The connection was lost before the service responded.'));
      const timer = setTimeout(
        () => fail(new ClarionError('request_timeout', 'The service did not respond in time.')),
        REQUEST_TIMEOUT_MS,
      );
      const settle = () => {
        clearTimeout(timer);
        socket.off('disconnect', lost);
      };
      const fail = (error: ClarionError) => {
        settle();
        reject(error);
      };
      socket.on('disconnect', lost);
      const ack = (reply: Ack<ClientReplies[M]>) => {
        if (!reply.ok) return fail(ClarionError.from(reply.error));
        settle();
        resolve(reply);
      };
      // TypeScript loses the tuple type of the map with a generic message name.
      (socket as { emit(name: string, ...args: unknown[]): unknown }).emit(message, payload, ack);
    });
  }

  retryNow(): void {
    if (this.#state !== 'reconnecting' || this.#connecting) return;
    this.#attempt = 0;
    this.#retry();
  }

  /**
   * Replaces a socket that may be dead, for example because the system has suspended the app. It is closed only afterwards: if it works
   * after all, the service must not consider this device disconnected meanwhile.
   */
  renew(): void {
    if (!this.#socket) return this.retryNow();
    this.#suspect = this.#socket;
    if (!this.#connecting) void this.#connect();
  }

  close(): void {
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#refreshTimer);
    const socket = this.#socket;
    this.#socket = null;
    this.#become('disconnected', null);
    this.#abandon?.();
    socket?.disconnect();
    for (const retired of this.#retired) retired.disconnect();
  }

  /** Opens a socket. The previous one, if any, is closed when the new one has its session. */
  async #connect(): Promise<void> {
    this.#connecting = true;
    this.#heardSinceConnecting = false;
    let token: string;
    try {
      token = await fetchToken(this.#options.getToken);
    } catch (error) {
      this.#connecting = false;
      if (this.#state !== 'disconnected') this.#failed(error as ClarionError);
      return;
    }
    if (this.#state === 'disconnected') return;

    const { url, namespace = '/agent', deviceId, sdk } = this.#options;
    const socket: AgentSocket = io(new URL(namespace, url).href, {
      path: '/socket.io',
      addTrailingSlash: false,
      auth: { [namespace === '/agent' ? 'token' : 'ticket']: token, deviceId, sdk },
      forceNew: true,
      reconnection: false,
      timeout: CONNECT_TIMEOUT_MS,
      transports: ['websocket', 'polling'],
      tryAllTransports: true,
    });
    // The service sends `session` (`watching`) immediately; without it, the connection is unusable.
    const silence = setTimeout(
      () => give(new ClarionError('connection_failed', 'The service did not respond in time.')),
      CONNECT_TIMEOUT_MS + REQUEST_TIMEOUT_MS,
    );
    const abandon = () => {
      clearTimeout(silence);
      socket.removeAllListeners();
      socket.disconnect();
      this.#abandon = null;
    };
    this.#abandon = abandon;
    const give = (error: ClarionError) => {
      abandon();
      this.#connecting = false;
      if (this.#state !== 'disconnected') this.#failed(error);
    };
    let refusal: ClarionError | null = null;
    socket.on('connect_error', (error) => {
      const data = 'data' in error ? error.data : undefined;
      give(serviceError(data) ?? new ClarionError('connection_failed', error.message, { cause: error }));
    });
    socket.on('error', (body) => (refusal = serviceError(body)));
    socket.on('disconnect', (reason) => {
      if (this.#retired.delete(socket) || this.#state === 'disconnected') return;
      if (this.#socket !== socket) return give(refusal ?? new ClarionError('connection_failed', reason));
      this.#socket = null;
      this.#reconnect(refusal);
    });
    for (const name of SERVER_MESSAGES) {
      socket.on(name, (payload: unknown) => {
        if (this.#state === 'disconnected' || this.#retired.has(socket)) return;
        if ((name === 'session' || name === 'watching') && this.#socket !== socket) {
          clearTimeout(silence);
          const mayBeOlder = this.#socket !== null && this.#heardSinceConnecting && name === 'session';
          this.#adopt(socket, token);
          if (mayBeOlder) {
            void this.request('resync', {}).catch(() => undefined); // a lost connection brings a session as well
            return;
          }
        } else if (this.#connecting) this.#heardSinceConnecting = true;
        // The service sends these messages in the shapes of @clarion/protocol.
        this.emit('message', { name, payload } as LinkEvents['message'][0]);
      });
    }
  }

  #adopt(socket: AgentSocket, token: string): void {
    const previous = this.#socket;
    this.#socket = socket;
    this.#abandon = null;
    this.#suspect = null;
    if (previous) {
      this.#retired.add(previous);
      setTimeout(() => previous.disconnect(), REQUEST_TIMEOUT_MS);
    }
    this.#connecting = false;
    this.#everConnected = true;
    this.#attempt = 0;
    this.#refusals = 0;
    clearTimeout(this.#refreshTimer);
    const refreshIn = refreshDelayMs(token, Date.now());
    if (refreshIn !== null)
      this.#refreshTimer = setTimeout(() => {
        if (this.#socket === socket && !this.#connecting) void this.#connect();
      }, refreshIn);
    this.#become('connected', null);
  }

  #failed(error: ClarionError): void {
    if (this.#socket?.connected) {
      // The refresh failed, but the old socket still works. When it closes, the connection is retried.
      if (this.#socket === this.#suspect) this.#socket.disconnect();
      return;
    }
    if (isRefusal(error)) {
      this.#refusals += 1;
      if (!this.#everConnected || this.#refusals >= REFUSALS_BEFORE_GIVING_UP) {
        clearTimeout(this.#refreshTimer);
        return this.#become('disconnected', error);
      }
    }
    this.#reconnect(error);
  }

  #reconnect(error: ClarionError | null): void {
    this.#become(this.#everConnected ? 'reconnecting' : 'connecting', error);
    const wait = reconnectDelayMs(this.#attempt, Math.random());
    this.#attempt += 1;
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => this.#retry(), wait);
  }

  #retry(): void {
    clearTimeout(this.#retryTimer);
    if (!this.#connecting && this.#state !== 'disconnected' && !this.#socket) void this.#connect();
  }

  #become(state: ConnectionState, error: ClarionError | null): void {
    if (this.#state === state && error === null) return;
    this.#state = state;
    this.emit('connection', state, error);
  }
}

/** The service rejected the agent, so trying again with the same permissions is pointless. */
function isRefusal(error: ClarionError): boolean {
  switch (error.code) {
    case 'unauthorized':
    case 'forbidden':
    case 'not_found':
    case 'invalid_request':
    case 'consumer_suspended':
    case 'tenant_suspended':
    case 'account_suspended':
      return true;
    default:
      return false;
  }
}
