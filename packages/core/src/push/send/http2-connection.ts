/**
 * A persistent HTTP/2 connection to a push service, opened when it is first used and again after it was lost. Requests wait for a free
 * stream in the order in which they came. Every request ends within its own time: with an answer, or with the reason why there is none.
 *
 * Requests that the server has certainly not processed (it announced so with GOAWAY or REFUSED_STREAM) are sent again on the next
 * connection. One that may have been processed is not: whether it is repeated is the caller's decision.
 */
import { constants } from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { EgressRefused } from '../../egress/guard.ts';
import type { PushResult } from '../push-message.ts';
import { MAX_ANSWER_BYTES, notSendable, unanswered } from './answer.ts';
import type { Answer } from './answer.ts';

export interface Http2Request {
  path: string;
  headers: Record<string, string>;
  body: string;
  /** For everything: the connection, the wait for a free stream, and the whole response. */
  timeoutMs: number;
}

/** `refused`: the connection is not allowed, now and later. */
export type Http2Result = Answer | { silence: string; refused?: boolean };

export interface Http2ConnectionOptions {
  connect: () => ClientHttp2Session;
  /**
   * Whether an answer shows that the server accepts the credentials. Until then, one request at a time is sent on a new connection: APNs
   * closes connections on which many are refused.
   */
  isAccepted: (answer: Answer) => boolean;
  onOpen?: () => void;
  onClose?: (reason: string) => void;
}

/** TCP, TLS and the server's settings. */
const CONNECT_TIMEOUT_MS = 3_000;
/** The server may allow fewer. */
const MAX_STREAMS = 500;
/** More requests than these are answered with `Busy`, so that a slow server cannot fill the memory. */
const MAX_WAITING = 10_000;
/** A connection that was silent for so long is tested before it is used: a router between may have forgotten it. */
const TEST_AFTER_MS = 10_000;
const PING_TIMEOUT_MS = 1_000;
const CLOSE_AFTER_IDLE_MS = 15 * 60_000;
/** A request that has waited on so many connections that were lost is given up. */
const MAX_CONNECTIONS = 5;

/** A request until it has a result. */
class Exchange {
  readonly request: Http2Request;
  readonly result: Promise<Http2Result>;
  connections = 0;
  isSettled = false;
  onTimeout: () => void = () => {};
  #resolve: (result: Http2Result) => void = () => {};
  readonly #timer: NodeJS.Timeout;

  constructor(request: Http2Request) {
    this.request = request;
    this.result = new Promise((resolve) => (this.#resolve = resolve));
    this.#timer = setTimeout(() => {
      this.settle({ silence: 'Timeout' });
      this.onTimeout();
    }, request.timeoutMs);
  }

  settle(result: Http2Result): void {
    this.isSettled = true;
    clearTimeout(this.#timer);
    this.#resolve(result);
  }
}

/** A connection from its establishment to its loss. */
class Link {
  readonly session: ClientHttp2Session;
  readonly opened: Promise<void>;
  readonly running = new Set<Exchange>();
  isOpen = false;
  isAccepted = false;
  /** The server has sent GOAWAY: streams after this one are not processed. */
  lastProcessed = Number.POSITIVE_INFINITY;
  /** Shared by all that need to know, because only a few pings may be outstanding. */
  test: Promise<boolean> | null = null;
  heardAt = performance.now();
  failure = 'ConnectionLost';

  constructor(session: ClientHttp2Session) {
    this.session = session;
    this.opened = new Promise((resolve) => {
      session.once('remoteSettings', () => resolve());
      session.once('close', () => resolve());
    });
  }

  hear(): void {
    this.heardAt = performance.now();
  }

  get isUsable(): boolean {
    return this.isOpen && !this.session.closed && !this.session.destroyed;
  }

  get freeStreams(): number {
    const allowed = Math.min(MAX_STREAMS, this.session.remoteSettings.maxConcurrentStreams ?? MAX_STREAMS);
    return (this.isAccepted ? allowed : Math.min(1, allowed)) - this.running.size;
  }
}

export class Http2Connection {
  readonly #options: Http2ConnectionOptions;
  readonly #waiting: Exchange[] = [];
  /** The current one, and those that the server is closing. */
  readonly #links = new Set<Link>();
  #link: Link | null = null;
  #isClosed = false;
  /** By `performance.now`. */
  usedAt = performance.now();

  constructor(options: Http2ConnectionOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && [...this.#links].every(({ running }) => running.size === 0);
  }

  async request(request: Http2Request): Promise<Http2Result> {
    if (this.#isClosed) return { silence: 'Closed' };
    if (request.timeoutMs <= 0) return { silence: 'Timeout' };
    if (this.#waiting.length >= MAX_WAITING) return { silence: 'Busy' };
    this.usedAt = performance.now();
    const exchange = new Exchange(request);
    exchange.onTimeout = () => this.#stopWaiting(exchange);
    this.#waiting.push(exchange);
    this.#pump();
    return exchange.result;
  }

  /** Opens the connection, or tests it if it has been silent. Never throws. */
  async prepare(): Promise<void> {
    if (this.#isClosed) return;
    this.usedAt = performance.now();
    const link = this.#link ?? this.#connect();
    await link?.opened;
    if (!link || performance.now() - link.heardAt < TEST_AFTER_MS) return;
    await this.#test(link);
    await (this.#link ?? this.#connect())?.opened;
  }

  close(): void {
    this.#isClosed = true;
    this.#giveUp({ silence: 'Closed' });
    for (const link of this.#links) this.#fail(link, 'Closed');
  }

  #fail(link: Link, reason: string): void {
    link.failure = reason;
    link.session.destroy();
    this.#leave(link);
  }

  async #test(link: Link): Promise<void> {
    link.test ??= answersPing(link);
    const isAlive = await link.test;
    link.test = null;
    if (isAlive) link.hear();
    else this.#fail(link, 'ConnectionLost');
  }

  #stopWaiting(exchange: Exchange): void {
    const index = this.#waiting.indexOf(exchange);
    if (index >= 0) this.#waiting.splice(index, 1);
  }

  #giveUp(result: Http2Result): void {
    for (const exchange of this.#waiting.splice(0)) exchange.settle(result);
  }

  #connect(): Link | null {
    try {
      const link = new Link(this.#options.connect());
      this.#links.add(link);
      this.#link = link;
      this.#watch(link);
      return link;
    } catch (error) {
      // The URL, or the address in it, is not allowed.
      this.#giveUp({
        silence: error instanceof EgressRefused ? 'AddressNotAllowed' : codeOf(error),
        refused: true,
      });
      return null;
    }
  }

  #watch(link: Link): void {
    const { session } = link;
    const timer = setTimeout(() => this.#fail(link, 'ConnectTimeout'), CONNECT_TIMEOUT_MS);
    session.on('remoteSettings', () => {
      clearTimeout(timer);
      link.hear();
      if (!link.isOpen) this.#options.onOpen?.();
      link.isOpen = true;
      this.#pump();
    });
    session.on('goaway', (_, lastProcessed) => {
      link.lastProcessed = lastProcessed;
      this.#leave(link);
    });
    session.on('error', (error) => {
      link.failure = error instanceof EgressRefused ? 'AddressNotAllowed' : codeOf(error);
    });
    session.on('close', () => {
      clearTimeout(timer);
      this.#links.delete(link);
      this.#options.onClose?.(link.failure);
      this.#leave(link);
    });
    session.setTimeout(CLOSE_AFTER_IDLE_MS, () => {
      session.close();
      this.#leave(link);
    });
  }

  /** No further request is sent on it. Those that wait try the next one, unless this one could not be opened. */
  #leave(link: Link): void {
    if (this.#link !== link) return;
    this.#link = null;
    if (!link.isOpen) {
      this.#giveUp({
        silence: link.failure,
        ...(link.failure === 'AddressNotAllowed' && { refused: true }),
      });
      return;
    }
    for (const exchange of this.#waiting) exchange.connections += 1;
    for (const exchange of this.#waiting.filter(({ connections }) => connections >= MAX_CONNECTIONS)) {
      exchange.settle({ silence: link.failure });
      this.#stopWaiting(exchange);
    }
    this.#pump();
  }

  #pump(): void {
    if (this.#isClosed || this.#waiting.length === 0) return;
    const link = this.#link ?? this.#connect();
    if (!link?.isOpen) return;
    while (link.isUsable && link.freeStreams > 0) {
      const exchange = this.#waiting.shift();
      if (!exchange) return;
      this.#start(link, exchange);
    }
    // It has ended, which is not reported yet.
    if (!link.isUsable) this.#leave(link);
  }

  #start(link: Link, exchange: Exchange): void {
    let stream: ClientHttp2Stream;
    try {
      const { path, headers } = exchange.request;
      stream = link.session.request({ ':method': 'POST', ':path': path, ...headers });
    } catch (error) {
      exchange.settle({ silence: codeOf(error) });
      return;
    }
    link.running.add(exchange);
    const sentAt = performance.now();
    exchange.onTimeout = () => {
      stream.close(constants.NGHTTP2_CANCEL);
      if (link.heardAt < sentAt) void this.#test(link);
    };
    const end = (answer: Answer) => {
      if (exchange.isSettled) return;
      link.isAccepted ||= this.#options.isAccepted(answer);
      exchange.settle(answer);
    };
    readAnswer(stream, { heard: () => link.hear(), end });
    stream.on('error', () => {}); // 'close' follows
    stream.on('close', () => {
      link.running.delete(exchange);
      if (!exchange.isSettled) this.#resumeOrFail(link, stream, exchange);
      this.#pump();
    });
    stream.end(exchange.request.body);
  }

  /** The stream was closed without an answer. */
  #resumeOrFail(link: Link, stream: ClientHttp2Stream, exchange: Exchange): void {
    const unprocessed =
      stream.rstCode === constants.NGHTTP2_REFUSED_STREAM ||
      stream.id === undefined ||
      stream.id > link.lastProcessed;
    exchange.connections += 1;
    if (!unprocessed || this.#isClosed || exchange.connections >= MAX_CONNECTIONS) {
      exchange.settle({ silence: link.failure });
      return;
    }
    exchange.onTimeout = () => this.#stopWaiting(exchange);
    this.#waiting.push(exchange);
  }
}

function readAnswer(
  stream: ClientHttp2Stream,
  { heard, end }: { heard: () => void; end: (answer: Answer) => void },
): void {
  const kept: Buffer[] = [];
  let length = 0;
  let status = 0;
  let retryAfter: string | undefined;
  const finish = () => {
    if (status === 0) return; // closed without an answer
    const text = Buffer.concat(kept).subarray(0, MAX_ANSWER_BYTES).toString('utf8');
    end({ status, text, ...(retryAfter !== undefined && { retryAfter }) });
  };
  stream.on('response', (headers) => {
    heard();
    status = headers[':status'] ?? 0;
    retryAfter = [headers['retry-after']].flat()[0];
  });
  stream.on('data', (chunk: Buffer) => {
    heard();
    kept.push(chunk);
    length += chunk.length;
    if (length < MAX_ANSWER_BYTES) return;
    finish();
    stream.close(constants.NGHTTP2_CANCEL);
  });
  stream.on('end', finish);
}

function answersPing({ session }: Link): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), PING_TIMEOUT_MS);
    const settle = (alive: boolean) => {
      clearTimeout(timer);
      resolve(alive);
    };
    if (session.destroyed || !session.ping((error) => settle(error === null))) settle(false);
  });
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'ConnectionLost';

export const silenceResult = ({ silence, refused = false }: Exclude<Http2Result, Answer>): PushResult =>
  refused ? notSendable(silence) : unanswered(silence);
