/** A service over HTTP/2 with prior knowledge (h2c), whose connections can be ended in the ways in which a push service ends them. */
import { once } from 'node:events';
import { constants, createServer } from 'node:http2';
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { flatHeaders, serve } from './exchange.ts';
import type { Service } from './exchange.ts';
import type { Listening } from './http1-server.ts';

/** How a connection ends, after so many requests on it. */
export type ConnectionEnd =
  /** The server processes no further ones, tells the client so, and answers the others. */
  | { readonly kind: 'goaway'; readonly after: number; readonly errorCode?: number }
  /** The last one is processed; answers that are not sent yet are lost. */
  | { readonly kind: 'drop'; readonly after: number };

export interface Connections {
  /** Of every connection, from now on; null: no end. */
  end: ConnectionEnd | null;
  /** How many were opened. */
  opened: number;
  /** The highest number of requests in flight on one of them before it had answered any. */
  earlyRequests: number;
}

interface Session {
  readonly session: ServerHttp2Session;
  requests: number;
  running: number;
  hasAccepted: boolean;
}

/** APNs accepts about as many. */
const MAX_CONCURRENT_STREAMS = 1000;

export async function startHttp2Server(
  service: Service,
  connections: Connections,
  host: string,
  port: number,
): Promise<Listening> {
  const server = createServer({ settings: { maxConcurrentStreams: MAX_CONCURRENT_STREAMS } });
  const sessions = new Set<Session>();
  server.on('session', (session) => {
    connections.opened += 1;
    const entry: Session = { session, requests: 0, running: 0, hasAccepted: false };
    sessions.add(entry);
    session.on('error', () => {}); // 'close' follows
    session.on('close', () => sessions.delete(entry));
    session.on('stream', (stream, headers) => {
      stream.on('error', () => {}); // the client has gone
      entry.requests += 1;
      entry.running += 1;
      stream.on('close', () => (entry.running -= 1));
      if (!entry.hasAccepted) connections.earlyRequests = Math.max(connections.earlyRequests, entry.running);
      void handle(entry, stream, headers);
    });
  });

  async function handle(entry: Session, stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    const { end } = connections;
    if (end?.kind === 'goaway' && entry.requests > end.after) return;
    if (end?.kind === 'goaway' && entry.requests === end.after)
      entry.session.goaway(end.errorCode ?? constants.NGHTTP2_NO_ERROR, stream.id);
    const isLast = end?.kind === 'drop' && entry.requests === end.after;
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch {
      return; // the client has gone
    }
    const outcome = await serve(service, {
      method: String(headers[':method']),
      path: String(headers[':path']),
      headers: flatHeaders(headers),
      body: Buffer.concat(chunks),
    });
    if (outcome === 'drop' || isLast) entry.session.socket.destroy();
    if (outcome === 'drop' || isLast || outcome === null || stream.destroyed) return;
    entry.hasAccepted ||= outcome.status === constants.HTTP_STATUS_OK;
    stream.respond({ ':status': outcome.status, 'content-type': 'application/json', ...outcome.headers });
    stream.end(outcome.body === undefined ? undefined : JSON.stringify(outcome.body));
  }

  server.listen(port, host);
  await once(server, 'listening');
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const { session } of sessions) session.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
