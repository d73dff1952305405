/**
 * The control port: accepts apps, authenticates them, stores their routes, replies to pings and passes `sip` commands
 * to the agent. Before authentication it accepts only `authenticate`.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import net from 'node:net';
import type { Payload } from './framing.ts';
import { FrameReader, frame, readPayload } from './framing.ts';
import { plainReply } from './frames.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';

/** Time limit for the authentication of an app. Ms. */
export const AUTHENTICATE_TIMEOUT_MS = 5_000;
/** Limit of unsent octets to an app that does not read; above it, the app is disconnected. */
export const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
/** Version reported to apps. drachtio-srf requires `v<n>.<n>.<n>`, at least 0.8.2. */
export const SERVER_VERSION = 'v0.9.10-clarion';

/** An app as the agent uses it. */
export interface App {
  readonly id: number;
  readonly connected: boolean;
  /** Sends one payload. */
  send(payload: string): void;
  /** Closes the connection after sending everything, for example a rejection (`NO`). */
  close(): void;
}

export interface ControlEvents {
  /** A `sip` command; the fields follow the word `sip`. */
  sip(app: App, commandId: string, fields: readonly string[], sip: string): void;
  proxy(app: App, commandId: string, fields: readonly string[]): void;
  gone(app: App): void;
}

export interface ControlOptions {
  readonly host: string;
  readonly port: number;
  readonly secret: string;
  readonly clock: Clock;
  /** `proto/host:port` list, reported to apps at authentication: advertised and local. */
  addresses(): { advertised: string; local: string };
}

export class ControlServer {
  readonly #options: ControlOptions;
  readonly #events: ControlEvents;
  readonly #log: Log;
  readonly #server: net.Server;
  readonly #apps = new Set<AppConnection>();
  /** Apps by verb, in turn. */
  readonly #routes = new Map<string, AppConnection[]>();
  #nextId = 1;

  constructor(options: ControlOptions, events: ControlEvents, log: Log) {
    this.#options = options;
    this.#events = events;
    this.#log = log;
    this.#server = net.createServer((socket) => this.#accept(socket));
  }

  /** Opens the port; returns the bound port. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host: this.#options.host, port: this.#options.port }, () => {
        this.#server.off('error', reject);
        this.#server.on('error', (error) => this.#log.warn({ err: error.message }, 'control port error'));
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : this.#options.port);
      });
    });
  }

  async close(): Promise<void> {
    for (const app of this.#apps) app.socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** The next app, in turn, for a verb (lower case); undefined if no app has a route for it. */
  next(verb: string): App | undefined {
    const queue = this.#routes.get(verb);
    const app = queue?.shift();
    if (app === undefined) return undefined;
    queue?.push(app);
    return app;
  }

  get appCount(): number {
    return this.#apps.size;
  }

  #accept(socket: net.Socket): void {
    const app = new AppConnection(this.#nextId++, socket);
    this.#apps.add(app);
    socket.setNoDelay(true);
    const deadline = this.#options.clock.after(AUTHENTICATE_TIMEOUT_MS, () => {
      if (!app.authenticated) socket.destroy();
    });
    socket.on('data', (data: Buffer) => this.#read(app, data));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      deadline.cancel();
      app.connected = false;
      this.#apps.delete(app);
      this.#removeRoutes(app);
      if (app.authenticated) this.#events.gone(app);
    });
  }

  #read(app: AppConnection, data: Buffer): void {
    const payloads = app.reader.push(data.toString('latin1'));
    if (payloads === null) {
      this.#log.warn({ app: app.id }, 'invalid control stream closed');
      app.socket.destroy();
      return;
    }
    app.socket.cork();
    for (const payload of payloads) {
      if (!app.connected) break;
      this.#command(app, readPayload(payload));
    }
    app.socket.uncork();
  }

  #command(app: AppConnection, { fields, sip }: Payload): void {
    const [id = '', kind = '', ...rest] = fields;
    if (id === '' || fields.length < 2) return this.#reject(app, id, 'Invalid message format');
    if (kind === 'authenticate') return this.#authenticate(app, id, rest[0] ?? '');
    if (!app.authenticated) return this.#reject(app, id, 'not authenticated');
    switch (kind) {
      case 'ping':
        return app.send(plainReply(id, 'OK', 'pong'));
      case 'route':
        if ((rest[0] ?? '') === '') return this.#reject(app, id, 'Invalid message format');
        this.#addRoute(app, rest[0] ?? '');
        return app.send(plainReply(id, 'OK'));
      case 'remove_route':
        this.#removeRoute(app, rest[0] ?? '');
        return app.send(plainReply(id, 'OK'));
      case 'sip':
        return this.#events.sip(app, id, rest, sip);
      case 'proxy':
        if (rest.length < 8)
          return this.#reject(app, id, 'Invalid proxy request: not enough information provided');
        return this.#events.proxy(app, id, rest);
      default:
        return this.#reject(app, id, 'Unknown message type');
    }
  }

  /** Rejects a command with an error of the protocol and closes the connection. */
  #reject(app: AppConnection, id: string, why: string): void {
    this.#log.warn({ app: app.id, why }, 'control command rejected');
    app.send(plainReply(id, 'NO', why));
    app.close();
  }

  #authenticate(app: AppConnection, id: string, secret: string): void {
    if (!sameSecret(secret, this.#options.secret)) return this.#reject(app, id, 'incorrect secret');
    app.authenticated = true;
    const { advertised, local } = this.#options.addresses();
    app.send(plainReply(id, 'OK', advertised, SERVER_VERSION, local));
    this.#log.info({ app: app.id }, 'app connected');
  }

  #addRoute(app: AppConnection, verb: string): void {
    const queue = this.#routes.get(verb) ?? [];
    // drachtio-srf repeats its routes whenever one is added; a second entry would give the app a double share.
    if (!queue.includes(app)) queue.push(app);
    this.#routes.set(verb, queue);
  }

  #removeRoute(app: AppConnection, verb: string): void {
    const left = (this.#routes.get(verb) ?? []).filter((other) => other !== app);
    if (left.length > 0) this.#routes.set(verb, left);
    else this.#routes.delete(verb);
  }

  #removeRoutes(app: AppConnection): void {
    for (const verb of [...this.#routes.keys()]) this.#removeRoute(app, verb);
  }
}

class AppConnection implements App {
  readonly id: number;
  readonly socket: net.Socket;
  readonly reader = new FrameReader();
  connected = true;
  authenticated = false;

  constructor(id: number, socket: net.Socket) {
    this.id = id;
    this.socket = socket;
  }

  send(payload: string): void {
    if (!this.connected) return;
    if (this.socket.writableLength > MAX_UNREAD_BYTES) {
      this.socket.destroy();
      return;
    }
    this.socket.write(frame(payload), 'latin1');
  }

  close(): void {
    this.connected = false;
    this.socket.end();
  }
}

function sameSecret(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text, 'latin1').digest();
  return timingSafeEqual(digest(given), digest(Buffer.from(wanted, 'utf8').toString('latin1')));
}
