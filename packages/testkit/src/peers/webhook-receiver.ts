/**
 * A consumer's webhook endpoint for tests: a real HTTP server that verifies each request as a consumer would, records it and responds as
 * the test demands.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { envelope, signatureHeader } from '@clarion/protocol';
import type { Envelope } from '@clarion/protocol';

export interface Delivery {
  /** The body as it arrived. */
  body: string;
  event: Envelope;
  headers: IncomingMessage['headers'];
  path: string;
  receivedAt: Date;
  /** Whether a `v1` signature matches the body and one of the receiver's secrets; true if it has none. */
  signatureValid: boolean;
}

/** The response to a request: a status, or misbehaviour of the connection. With `respond`, the test writes the response itself. */
export type Answer =
  | number
  | { status: number; headers?: Record<string, string>; body?: string }
  | 'hang' // reads the request and never responds
  | 'close' // closes the connection without a response
  | 'close-mid-body' // a 200 whose body breaks off
  | { respond: (request: IncomingMessage, response: ServerResponse) => void };

export interface WebhookReceiver {
  url: string;
  port: number;
  /** Everything that arrived, oldest first. */
  deliveries: Delivery[];
  /** Connections made to it, whether or not they carried a request. */
  connections(): number;
  /** Accepted secrets; set it to what PUT /v1/webhook or the rotation returned. */
  secrets: string[];
  /** Sets the response to all further requests; entries of `first` are used up before, one per request. Initially 200. */
  answer(always: Answer | ((delivery: Delivery) => Answer), first?: Answer[]): void;
  /** Resolves with the first delivery, past or future, that `matches`; rejects after `timeoutMs`. */
  waitFor(matches: (delivery: Delivery) => boolean, timeoutMs?: number): Promise<Delivery>;
  /** Resolves with all deliveries once there are `count`. */
  waitForCount(count: number, timeoutMs?: number): Promise<Delivery[]>;
  /** The bodies of one type, in the order of arrival. */
  events(type?: string): Envelope[];
  close(): Promise<void>;
}

const WAIT_MS = 10_000;

export async function startWebhookReceiver(
  options: { secrets?: string[]; host?: string; port?: number; tls?: { key: string; cert: string } } = {},
): Promise<WebhookReceiver> {
  const arrivals = new EventEmitter().setMaxListeners(0);
  const deliveries: Delivery[] = [];
  let connections = 0;
  let always: Answer | ((delivery: Delivery) => Answer) = 200;
  let first: Answer[] = [];

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const delivery: Delivery = {
      body,
      event: envelope.parse(JSON.parse(body)),
      headers: request.headers,
      path: request.url ?? '/',
      receivedAt: new Date(),
      signatureValid: isSigned(body, request.headers, receiver.secrets),
    };
    deliveries.push(delivery);
    const answer = first.shift() ?? (typeof always === 'function' ? always(delivery) : always);
    give(answer, request, response);
    arrivals.emit('delivery');
  };
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    serve(request, response).catch(() => request.socket.destroy());
  };
  const server: Server = options.tls ? createTlsServer(options.tls, handle) : createServer(handle);
  server.on('connection', () => (connections += 1));
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const waitUntil = async <T>(look: () => T | undefined, timeoutMs: number, what: string): Promise<T> => {
    const signal = AbortSignal.timeout(timeoutMs);
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      await once(arrivals, 'delivery', { signal }).catch(() => {
        const types = deliveries.map(({ event }) => event.event_type).join(', ') || 'nothing';
        throw new Error(`webhook receiver: ${what} did not arrive within ${timeoutMs} ms; got ${types}`);
      });
    }
  };

  const receiver: WebhookReceiver = {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}/hook`,
    port,
    deliveries,
    connections: () => connections,
    secrets: options.secrets ?? [],
    answer(nextAlways, nextFirst = []) {
      always = nextAlways;
      first = [...nextFirst];
    },
    waitFor: (matches, timeoutMs = WAIT_MS) =>
      waitUntil(() => deliveries.find(matches), timeoutMs, 'the expected delivery'),
    waitForCount: (count, timeoutMs = WAIT_MS) =>
      waitUntil(
        () => (deliveries.length >= count ? deliveries : undefined),
        timeoutMs,
        `delivery number ${count}`,
      ),
    events: (type) =>
      deliveries.map(({ event }) => event).filter(({ event_type }) => !type || event_type === type),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return receiver;
}

function give(answer: Answer, request: IncomingMessage, response: ServerResponse): void {
  if (answer === 'hang') return;
  if (answer === 'close') {
    request.socket.destroy();
  } else if (answer === 'close-mid-body') {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('the beginning', () => request.socket.destroy());
  } else if (typeof answer === 'number') {
    response.writeHead(answer).end();
  } else if ('respond' in answer) {
    answer.respond(request, response);
  } else {
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }
}

/** Verifies as a consumer's code would: one of the header's `v1` signatures must match one of the secrets. */
function isSigned(body: string, headers: IncomingMessage['headers'], secrets: string[]): boolean {
  if (secrets.length === 0) return true;
  const header = headers[signatureHeader.toLowerCase()];
  const parts = typeof header === 'string' ? header.split(',') : [];
  const t = parts.find((part) => part.startsWith('t='))?.slice(2) ?? '';
  const expected = secrets.map((secret) => createHmac('sha256', secret).update(`${t}.${body}`).digest());
  return parts
    .filter((part) => part.startsWith('v1='))
    .map((part) => Buffer.from(part.slice(3), 'hex'))
    .some((given) =>
      expected.some((digest) => digest.length === given.length && timingSafeEqual(digest, given)),
    );
}
