/** A simulated agent's app: a real socket that stores the messages it receives. */
import { agentNamespace, dashboardNamespace } from '@clarion/protocol/socket';
import type {
  Ack,
  ClientMessage,
  ClientPayload,
  ClientReplies,
  ServerMessage,
  ServerMessages,
} from '@clarion/protocol/socket';
import { io } from 'socket.io-client';
import type { Socket } from 'socket.io-client';

const WAIT_MS = 10_000;

type Namespace = typeof agentNamespace | typeof dashboardNamespace;

interface ReceivedMessage {
  name: ServerMessage;
  payload: unknown;
}

export class AppSocket {
  readonly socket: Socket;
  readonly received: ReceivedMessage[] = [];
  readonly #watchers = new Set<() => void>();

  /** @param origin of the page; a native app sends none */
  constructor(
    url: string,
    token: string,
    deviceId = 'device-1',
    origin?: string,
    namespace: Namespace = agentNamespace,
  ) {
    const key = namespace === agentNamespace ? 'token' : 'ticket';
    this.socket = io(`${url}${namespace}`, {
      auth: { [key]: token, deviceId, sdk: 'test' },
      addTrailingSlash: false,
      forceNew: true,
      reconnection: false,
      transports: ['websocket'],
      ...(origin !== undefined && { extraHeaders: { origin } }),
    });
    this.socket.onAny((name: ServerMessage, payload: unknown) => {
      this.received.push({ name, payload });
      for (const watch of this.#watchers) watch();
    });
  }

  /** A dashboard page instead. */
  static page(url: string, ticket: string, deviceId: string): AppSocket {
    return new AppSocket(url, ticket, deviceId, undefined, dashboardNamespace);
  }

  /** The first session; rejects with the error code of the handshake. */
  session(): Promise<ServerMessages['session']> {
    return this.#admitted('session');
  }

  /** The same for a dashboard page. */
  watching(): Promise<ServerMessages['watching']> {
    return this.#admitted('watching');
  }

  async #admitted<M extends 'session' | 'watching'>(message: M): Promise<ServerMessages[M]> {
    return Promise.race([
      this.next(message),
      new Promise<never>((_, reject) =>
        this.socket.once('connect_error', (error: Error & { data?: { code?: string } }) =>
          reject(new Error(error.data?.code ?? error.message)),
        ),
      ),
    ]);
  }

  /** The first matching message of this name, received or awaited. */
  async next<M extends ServerMessage>(
    name: M,
    fits: (payload: ServerMessages[M]) => boolean = () => true,
  ): Promise<ServerMessages[M]> {
    const look = () =>
      this.received.find((received) => received.name === name && fits(received.payload as ServerMessages[M]))
        ?.payload as ServerMessages[M] | undefined;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#watchers.delete(watch);
        reject(
          new Error(
            `never received ${name}; received: ${this.received.map((received) => received.name).join(', ')}`,
          ),
        );
      }, WAIT_MS);
      const watch = () => {
        const seen = look();
        if (seen === undefined) return;
        clearTimeout(timer);
        this.#watchers.delete(watch);
        resolve(seen);
      };
      this.#watchers.add(watch);
      watch();
    });
  }

  /** Discards received messages, so that `next` waits for a new one. */
  clearReceived(): void {
    this.received.length = 0;
  }

  async send<M extends ClientMessage>(message: M, payload: ClientPayload<M>): Promise<Ack<ClientReplies[M]>> {
    return this.socket.timeout(WAIT_MS).emitWithAck(message, payload) as Promise<Ack<ClientReplies[M]>>;
  }

  /** @throws with the error's code when the ack is not ok */
  async ask<M extends ClientMessage>(message: M, payload: ClientPayload<M>): Promise<ClientReplies[M]> {
    const reply = await this.send(message, payload);
    if (!reply.ok) throw new Error(reply.error.code);
    return reply;
  }

  close(): void {
    this.socket.disconnect();
  }
}
