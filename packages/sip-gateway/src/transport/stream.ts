/**
 * SIP over streams: accepts and opens connections, reuses one per peer in both directions (RFC 3261 §18, RFC 5923),
 * replies to keep-alives, and closes invalid streams.
 */
import type net from 'node:net';
import { StreamFraming } from './framing.ts';
import type { Peer, Protocol, Transport, TransportEvents } from './transport.ts';

/** Time limit for opening a connection: less than timer F, so that a 503 still reaches the app in time. Ms. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** Time limit for the first message on an inbound connection. Ms. */
export const FIRST_MESSAGE_TIMEOUT_MS = 32_000;
/** TCP keep-alive, which detects half-open connections. Ms. */
export const TCP_KEEPALIVE_MS = 60_000;
/** Maximum number of connections; further inbound ones are closed. */
export const MAX_INBOUND_CONNECTIONS = 4096;
/** Maximum number of inbound connections per address. */
export const MAX_CONNECTIONS_PER_ADDRESS = 256;
/** Limit of unsent octets on one connection; above it, the connection is closed. */
export const MAX_UNSENT_BYTES = 4 * 1024 * 1024;

/** The differences between plain TCP and TLS: creating a server and opening a connection. */
export interface StreamKind {
  readonly protocol: Protocol;
  listen(accept: (socket: net.Socket) => void): net.Server;
  /** `ready` is called when data may be written. */
  connect(peer: Peer, ready: () => void): net.Socket;
}

interface Connection {
  readonly id: number;
  readonly socket: net.Socket;
  readonly peer: Peer;
  readonly framing: StreamFraming;
  ready: boolean;
  heard: boolean;
  /** Whether the last pong has not been sent yet. */
  pongUnsent: boolean;
  /** Messages sent before the connection is open, with their error callbacks. */
  waiting: { text: string; failed: (error: Error) => void }[];
}

export async function openStream(
  kind: StreamKind,
  bind: string,
  port: number,
  events: TransportEvents,
): Promise<Transport> {
  const transport = new StreamTransport(kind, events);
  await transport.listen(bind, port);
  return transport;
}

class StreamTransport implements Transport {
  readonly protocol: Protocol;
  readonly reliable = true;
  port = 0;
  readonly #kind: StreamKind;
  readonly #events: TransportEvents;
  readonly #server: net.Server;
  readonly #byId = new Map<number, Connection>();
  readonly #byPeer = new Map<string, Connection>();
  readonly #perAddress = new Map<string, number>();
  #nextId = 1;
  #open = true;

  constructor(kind: StreamKind, events: TransportEvents) {
    this.protocol = kind.protocol;
    this.#kind = kind;
    this.#events = events;
    this.#server = kind.listen((socket) => this.#accept(socket));
  }

  listen(bind: string, port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host: bind, port }, () => {
        this.#server.off('error', reject);
        this.#server.on('error', (error) => this.#drop(undefined, error.message));
        const address = this.#server.address();
        this.port = typeof address === 'object' && address !== null ? address.port : port;
        resolve();
      });
    });
  }

  send(text: string, peer: Peer, failed: (error: Error) => void): void {
    if (!this.#open) return;
    const connection = this.#find(peer) ?? this.#connect(peer);
    if (!connection.ready) connection.waiting.push({ text, failed });
    else this.#write(connection, text, failed);
  }

  isOpen(peer: Peer): boolean {
    return peer.connection !== undefined && this.#byId.has(peer.connection);
  }

  async close(): Promise<void> {
    this.#open = false;
    for (const connection of this.#byId.values()) connection.socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #find(peer: Peer): Connection | undefined {
    const own = peer.connection === undefined ? undefined : this.#byId.get(peer.connection);
    return own ?? this.#byPeer.get(peerKey(peer));
  }

  #write(connection: Connection, text: string, failed: (error: Error) => void): void {
    if (connection.socket.writableLength > MAX_UNSENT_BYTES) {
      connection.socket.destroy();
      queueMicrotask(() => failed(new Error('connection send buffer is full')));
      return;
    }
    connection.socket.write(text, 'latin1', (error) => {
      if (error !== null && error !== undefined && this.#open) failed(error);
    });
  }

  #accept(socket: net.Socket): void {
    const address = socket.remoteAddress ?? '';
    const peer = { protocol: this.protocol, address, port: socket.remotePort ?? 0 };
    const count = this.#perAddress.get(address) ?? 0;
    if (!this.#open || this.#byId.size >= MAX_INBOUND_CONNECTIONS || count >= MAX_CONNECTIONS_PER_ADDRESS) {
      this.#drop(peer, 'too many connections');
      socket.destroy();
      return;
    }
    this.#perAddress.set(address, count + 1);
    const connection = this.#register(socket, peer, true);
    const first = setTimeout(() => {
      if (!connection.heard) socket.destroy();
    }, FIRST_MESSAGE_TIMEOUT_MS);
    first.unref();
    socket.once('close', () => {
      clearTimeout(first);
      const left = (this.#perAddress.get(address) ?? 1) - 1;
      if (left > 0) this.#perAddress.set(address, left);
      else this.#perAddress.delete(address);
    });
  }

  #connect(peer: Peer): Connection {
    const socket: net.Socket = this.#kind.connect(peer, () => {
      connection.ready = true;
      socket.setTimeout(0);
      const waiting = connection.waiting;
      connection.waiting = [];
      for (const { text, failed } of waiting) this.#write(connection, text, failed);
    });
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => {
      if (!connection.ready) socket.destroy(new Error('connection attempt timed out'));
    });
    const connection = this.#register(socket, peer, false);
    return connection;
  }

  #register(socket: net.Socket, from: Peer, ready: boolean): Connection {
    const id = this.#nextId++;
    const peer: Peer = { ...from, connection: id };
    const connection: Connection = {
      id,
      socket,
      peer,
      framing: new StreamFraming(),
      ready,
      heard: false,
      pongUnsent: false,
      waiting: [],
    };
    this.#byId.set(id, connection);
    this.#byPeer.set(peerKey(peer), connection);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, TCP_KEEPALIVE_MS);
    socket.on('data', (data: Buffer) => this.#read(connection, data));
    let cause = new Error('connection closed');
    socket.on('error', (error) => (cause = error));
    const forget = () => {
      this.#byId.delete(id);
      if (this.#byPeer.get(peerKey(peer)) === connection) this.#byPeer.delete(peerKey(peer));
    };
    // Nothing is sent on a connection that the peer has closed, although the socket is still open for a moment.
    socket.on('end', forget);
    socket.on('close', () => {
      forget();
      for (const { failed } of connection.waiting) if (this.#open) failed(cause);
      connection.waiting = [];
    });
    return connection;
  }

  #read(connection: Connection, data: Buffer): void {
    const framed = connection.framing.push(data.toString('latin1'));
    if (framed === null) {
      this.#drop(connection.peer, 'unframeable stream');
      connection.socket.destroy();
      return;
    }
    for (const event of framed) {
      connection.heard = true;
      if (event.kind === 'ping') this.#pong(connection);
      else this.#events.message(event.text, connection.peer);
    }
  }

  /** At most one pong is unsent: a peer that sends pings and reads nothing must not fill the send buffer. */
  #pong(connection: Connection): void {
    if (connection.pongUnsent) return;
    connection.pongUnsent = true;
    connection.socket.write('\r\n', () => (connection.pongUnsent = false));
  }

  #drop(peer: Peer | undefined, why: string): void {
    this.#events.dropped(peer ?? { protocol: this.protocol, address: '', port: 0 }, why);
  }
}

/** A connection is shared only by peers whose certificate was verified against the same name (RFC 5923 §4). */
function peerKey(peer: Peer): string {
  return `${peer.address}|${peer.port}|${peer.protocol === 'tls' ? (peer.host ?? '') : ''}`;
}
