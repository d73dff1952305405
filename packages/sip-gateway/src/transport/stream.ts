/**
 * SIP over streams: accepts and opens connections, reuses one per peer in both directions (RFC 3261 §18, RFC 5923),
 * replies to keep-alives, and closes invalid streams.
 */
import type net from 'node:net';
import type { Clock, Timer } from '../clock.ts';
import { StreamFraming } from './framing.ts';
import { InboundPlaces } from './inbound-places.ts';
import type { Peer, Protocol, Transport, TransportEvents } from './transport.ts';

/** Time limit for opening a connection: less than timer F, so that a 503 still reaches the app in time. Ms. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** Time limit for the TLS handshake of an inbound connection. Ms. */
export const HANDSHAKE_TIMEOUT_MS = 5_000;
/** Time limit for the first message on an inbound connection. Keep-alives are not messages. Ms. */
export const FIRST_MESSAGE_TIMEOUT_MS = 32_000;
/** How long an inbound connection may go without a message, unless a call from its address was accepted. Ms. */
export const STRANGER_IDLE_TIMEOUT_MS = 120_000;
/** TCP keep-alive, which detects half-open connections. Ms. */
export const TCP_KEEPALIVE_MS = 60_000;
/** Limit of unsent octets on one connection; above it, the connection is closed. */
export const MAX_UNSENT_BYTES = 4 * 1024 * 1024;

/** The differences between plain TCP and TLS: creating a server and opening a connection. */
export interface StreamKind {
  readonly protocol: Protocol;
  createServer(): net.Server;
  /** The event of the server with a socket on which data may be written. */
  readonly ready: 'connection' | 'secureConnection';
  /** `ready` is called when data may be written. */
  connect(peer: Peer, ready: () => void): net.Socket;
}

export interface StreamOptions {
  readonly clock: Clock;
  /** Whether a call from this address was accepted. */
  readonly isKnown: (address: string) => boolean;
}

/** An inbound connection whose handshake is not complete. */
interface Handshake {
  readonly socket: net.Socket;
  readonly timeout: Timer;
}

interface Connection {
  readonly id: number;
  readonly socket: net.Socket;
  readonly peer: Peer;
  readonly framing: StreamFraming;
  ready: boolean;
  /** When the last complete message arrived; 0 before the first. */
  heardAt: number;
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
  options: StreamOptions,
): Promise<Transport> {
  const transport = new StreamTransport(kind, events, options);
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
  readonly #options: StreamOptions;
  readonly #places: InboundPlaces;
  /** By the address and port of the client. */
  readonly #handshakes = new Map<string, Handshake>();
  #nextId = 1;
  #open = true;

  constructor(kind: StreamKind, events: TransportEvents, options: StreamOptions) {
    this.protocol = kind.protocol;
    this.#kind = kind;
    this.#events = events;
    this.#options = options;
    this.#places = new InboundPlaces(options.isKnown);
    this.#server = kind.createServer();
    this.#server.on('connection', (socket: net.Socket) => this.#admit(socket));
    this.#server.on(kind.ready, (socket: net.Socket) => this.#accept(socket));
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
    for (const { socket } of this.#handshakes.values()) socket.destroy();
    for (const { socket } of this.#byId.values()) socket.destroy();
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

  /** Takes a place for an inbound connection, which it has from before the TLS handshake until it is closed. */
  #admit(socket: net.Socket): void {
    socket.on('error', () => undefined);
    const address = socket.remoteAddress;
    const release = this.#open && address !== undefined ? this.#places.take(address) : null;
    if (release === null) {
      this.#drop(inboundPeer(this.protocol, socket), 'too many connections');
      socket.destroy();
      return;
    }
    const key = clientKey(socket);
    const handshake: Handshake = {
      socket,
      timeout: this.#options.clock.after(HANDSHAKE_TIMEOUT_MS, () => socket.destroy()),
    };
    this.#handshakes.set(key, handshake);
    socket.once('close', () => {
      handshake.timeout.cancel();
      if (this.#handshakes.get(key) === handshake) this.#handshakes.delete(key);
      release();
    });
  }

  #accept(socket: net.Socket): void {
    const key = clientKey(socket);
    const handshake = this.#handshakes.get(key);
    if (handshake === undefined) {
      socket.destroy();
      return;
    }
    handshake.timeout.cancel();
    this.#handshakes.delete(key);
    this.#limitIdleTime(this.#register(socket, inboundPeer(this.protocol, socket), true));
  }

  /** Closes an inbound connection without a first message, or on which a stranger has sent none for long. */
  #limitIdleTime(connection: Connection): void {
    const { clock, isKnown } = this.#options;
    const { socket, peer } = connection;
    const check = (): void => {
      const idle = clock.now() - connection.heardAt;
      const known = isKnown(peer.address);
      if (connection.heardAt === 0 || (!known && idle >= STRANGER_IDLE_TIMEOUT_MS)) socket.destroy();
      else timer = clock.after(known ? STRANGER_IDLE_TIMEOUT_MS : STRANGER_IDLE_TIMEOUT_MS - idle, check);
    };
    let timer = clock.after(FIRST_MESSAGE_TIMEOUT_MS, check);
    socket.once('close', () => timer.cancel());
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
      heardAt: 0,
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
      if (event.kind === 'ping') {
        this.#pong(connection);
        continue;
      }
      connection.heardAt = this.#options.clock.now();
      this.#events.message(event.text, connection.peer);
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

/** A TLS socket and the TCP socket under it have the same one. */
function clientKey({ remoteAddress, remotePort }: net.Socket): string {
  return `${remoteAddress ?? ''}|${remotePort ?? 0}`;
}

function inboundPeer(protocol: Protocol, { remoteAddress, remotePort }: net.Socket): Peer {
  return { protocol, address: remoteAddress ?? '', port: remotePort ?? 0 };
}
