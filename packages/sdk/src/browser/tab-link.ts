/**
 * One socket for all tabs of one agent in one browser. The tab that holds a Web Lock is the leader: it has the socket, and the other
 * tabs use it over a BroadcastChannel. When the leader is closed, another tab acquires the lock and connects.
 * Only messages travel between tabs: each tab has its own view of the calls and, for a call it accepted, its own audio.
 */
import type { ClientMessage, ClientPayload, ClientReplies } from '@clarion/protocol/socket';
import { randomId } from './device-id.ts';
import { Emitter } from '../agent/emitter.ts';
import { ClarionError, type ClarionErrorCode } from '../agent/errors.ts';
import {
  REQUEST_TIMEOUT_MS,
  type AgentLink,
  type ConnectionState,
  type Link,
  type LinkEvents,
  type ServerEnvelope,
} from '../agent/link.ts';

interface PlainError {
  code: ClarionErrorCode;
  message: string;
  details?: ClarionError['details'];
}

type TabMessage =
  | { kind: 'hello' }
  | { kind: 'connection'; state: ConnectionState; error: PlainError | null }
  | { kind: 'message'; envelope: ServerEnvelope }
  /** A tab unsubscribed the shared socket from the board. */
  | { kind: 'unsubscribed' }
  | { kind: 'request'; id: string; message: ClientMessage; payload: unknown }
  | { kind: 'reply'; id: string; reply: unknown; error: PlainError | null };

interface Waiting {
  resolve(reply: unknown): void;
  reject(error: ClarionError): void;
  timer: ReturnType<typeof setTimeout>;
}

interface TabLinkEvents extends LinkEvents {
  leading: [];
  unsubscribed: [];
}

export class TabLink extends Emitter<TabLinkEvents> implements AgentLink {
  readonly #openSocket: () => Link;
  readonly #channel: BroadcastChannel | null;
  readonly #waiting = new Map<string, Waiting>();
  readonly #resign = new AbortController();
  #socket: Link | null = null;
  #state: ConnectionState = 'connecting';

  /** @param scope identifies the agent and the device; tabs with the same scope share a socket, and null shares nothing */
  constructor(scope: string | null, openSocket: () => Link) {
    super();
    this.#openSocket = openSocket;
    if (scope === null || !('locks' in navigator) || !('BroadcastChannel' in globalThis)) {
      this.#channel = null;
      this.#lead();
      return;
    }
    const name = `clarion:agent:${scope}`;
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = (event) => this.#onTab(event.data as TabMessage);
    navigator.locks
      .request(name, { signal: this.#resign.signal }, () => this.#leadUntilClosed())
      .catch(() => undefined); // aborted while waiting: this tab was closed before it became the leader
    this.#post({ kind: 'hello' });
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get leading(): boolean {
    return this.#socket !== null;
  }

  request<M extends ClientMessage>(message: M, payload: ClientPayload<M>): Promise<ClientReplies[M]> {
    if (this.#socket) return this.#ask(this.#socket, message, payload);
    if (this.#state === 'disconnected')
      return Promise.reject(new ClarionError('disconnected', 'The agent is disconnected.'));
    const id = randomId();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(
          new ClarionError('request_timeout', 'The tab that holds the connection did not respond in time.'),
        );
      }, REQUEST_TIMEOUT_MS);
      this.#waiting.set(id, { resolve: (reply) => resolve(reply as ClientReplies[M]), reject, timer });
      this.#post({ kind: 'request', id, message, payload });
    });
  }

  retryNow(): void {
    this.#socket?.retryNow();
  }

  /** The other tabs are not told: one of them takes over the connection. */
  close(): void {
    this.#leave();
    if (this.#socket) this.#socket.close();
    else this.#become('disconnected', null);
  }

  /** Gives up the lock, or the wait for it, so that another tab, or the next link of this one, can connect. */
  #leave(): void {
    this.#failWaiting(new ClarionError('disconnected', 'The agent is disconnected.'));
    this.#resign.abort();
    this.#channel?.close();
  }

  async #leadUntilClosed(): Promise<void> {
    const { signal } = this.#resign;
    if (signal.aborted) return;
    this.#failWaiting(new ClarionError('connection_lost', 'The tab that held the connection was closed.'));
    this.#lead();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }

  #lead(): void {
    const socket = this.#openSocket();
    this.#socket = socket;
    socket.on('message', (envelope) => {
      this.#post({ kind: 'message', envelope });
      this.emit('message', envelope);
    });
    socket.on('connection', (state, error) => {
      this.#post({ kind: 'connection', state, error: error && plain(error) });
      this.#become(state, error);
    });
    // The state of the other tab's connection does not apply to this one.
    if (this.#state === 'connected') this.#become('reconnecting', null);
    this.emit('leading');
  }

  #onTab(message: TabMessage): void {
    switch (message.kind) {
      case 'hello':
        if (!this.#socket) return;
        this.#post({ kind: 'connection', state: this.#socket.state, error: null });
        // The service responds with a session, which every tab receives, so no state can be stale.
        if (this.#socket.state === 'connected') this.#socket.request('resync', {}).catch(() => undefined);
        return;
      case 'connection':
        if (this.#socket) return;
        this.#become(message.state, message.error && deserialize(message.error));
        return;
      case 'message':
        if (!this.#socket) this.emit('message', message.envelope);
        return;
      case 'unsubscribed':
        this.emit('unsubscribed');
        return;
      case 'request':
        if (this.#socket) void this.#serve(this.#socket, message);
        return;
      case 'reply':
        this.#onReply(message);
        return;
    }
  }

  /** Forwards the result of a tab's request to every tab, because the service may send it only to the requesting socket. */
  async #ask<M extends ClientMessage>(
    socket: Link,
    message: M,
    payload: ClientPayload<M>,
  ): Promise<ClientReplies[M]> {
    const reply = await socket.request(message, payload);
    if (message === 'board:unsubscribe') {
      this.#post({ kind: 'unsubscribed' });
      this.emit('unsubscribed');
    }
    if ('call' in reply) {
      const envelope: ServerEnvelope = { name: 'call:updated', payload: { call: reply.call } };
      this.#post({ kind: 'message', envelope });
      this.emit('message', envelope);
    }
    return reply;
  }

  async #serve(socket: Link, { id, message, payload }: TabMessage & { kind: 'request' }): Promise<void> {
    try {
      const reply = await this.#ask(socket, message, payload as ClientPayload<typeof message>);
      this.#post({ kind: 'reply', id, reply, error: null });
    } catch (error) {
      if (error instanceof ClarionError) this.#post({ kind: 'reply', id, reply: null, error: plain(error) });
      else throw error;
    }
  }

  #onReply({ id, reply, error }: TabMessage & { kind: 'reply' }): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (error) waiting.reject(deserialize(error));
    else waiting.resolve(reply);
  }

  #failWaiting(error: ClarionError): void {
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#waiting.clear();
  }

  #post(message: TabMessage): void {
    if (!this.#resign.signal.aborted) this.#channel?.postMessage(message);
  }

  #become(state: ConnectionState, error: ClarionError | null): void {
    if (this.#state === state && error === null) return;
    this.#state = state;
    // The rejection applies to all tabs of the agent, and each of them may connect again.
    if (state === 'disconnected') this.#leave();
    this.emit('connection', state, error);
  }
}

const plain = ({ code, message, details }: ClarionError): PlainError =>
  details === undefined ? { code, message } : { code, message, details };
const deserialize = ({ code, message, details }: PlainError): ClarionError =>
  new ClarionError(code, message, details === undefined ? {} : { details });
