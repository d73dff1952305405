/**
 * The HTTP servers of the process. The public port has the sockets, /healthz (the process is alive) and /readyz (each dependency with
 * its state); /metrics (Prometheus) is on a port of its own, on the internal address.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { mediaSocketPath } from '@clarion/protocol/media';
import type { Registry } from 'prom-client';
import { SOCKET_PATH } from './sockets/socket-servers.ts';

/** A dependency that does not respond within this time is down. */
const CHECK_TIMEOUT_MS = 2_000;
/** Time limits for the headers of a request and for a whole request; the longest is a long-polling message. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 20_000;
/** How often connections are checked against these limits. */
const TIMEOUT_CHECK_MS = 2_000;

const socketPaths = new Set([SOCKET_PATH, mediaSocketPath]);

/** @param checks name → resolves when that dependency works */
export function createHttpServer(checks: Record<string, () => Promise<unknown>>): Server {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    },
    answering(async (path, answer) => {
      if (path === '/healthz') return answer(200, 'application/json', '{"status":"ok"}');
      if (path !== '/readyz') return answer(404, 'text/plain', 'Not found');
      const states = Object.fromEntries(await Promise.all(Object.entries(checks).map(state)));
      const ready = Object.values(states).every((value) => value === 'ok');
      const body = JSON.stringify({ status: ready ? 'ok' : 'down', checks: states });
      answer(ready ? 200 : 503, 'application/json', body);
    }),
  );
  // Added before the socket servers' listeners: Node leaves an unanswered upgrade open forever.
  server.on('upgrade', (request, socket) => {
    if (!socketPaths.has(pathOf(request))) socket.destroy();
  });
  return server;
}

export function createMetricsServer(metrics: Registry): Server {
  return createServer(
    answering(async (path, answer) => {
      if (path !== '/metrics') return answer(404, 'text/plain', 'Not found');
      answer(200, metrics.contentType, await metrics.metrics());
    }),
  );
}

type Answer = (status: number, type: string, body: string) => void;

function answering(serve: (path: string, answer: Answer) => Promise<void>) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const answer: Answer = (status, type, body) =>
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    serve(pathOf(request), answer).catch(() => response.destroy());
  };
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';

async function state([name, check]: [string, () => Promise<unknown>]): Promise<[string, 'ok' | 'down']> {
  const timeout = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  const late = new Promise<never>((_, reject) => {
    timeout.addEventListener('abort', () => reject(new Error('timeout')), { once: true });
  });
  try {
    await Promise.race([check(), late]);
    return [name, 'ok'];
  } catch {
    return [name, 'down'];
  }
}
