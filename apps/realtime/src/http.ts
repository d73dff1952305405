/** /healthz: the process lives. /readyz: each dependency with its state. /metrics: Prometheus. The sockets share the port. */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { Registry } from 'prom-client';

/** A dependency that does not answer in this time is down. */
const CHECK_TIMEOUT_MS = 2_000;

export function createHttpServer(options: {
  metrics: Registry;
  /** Name → resolves when that dependency works. */
  checks: Record<string, () => Promise<unknown>>;
}): Server {
  return createServer((request, response) => {
    const answer = (status: number, type: string, body: string) =>
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    const serve = async () => {
      if (request.url === '/healthz') return answer(200, 'application/json', '{"status":"ok"}');
      if (request.url === '/metrics') {
        return answer(200, options.metrics.contentType, await options.metrics.metrics());
      }
      if (request.url !== '/readyz') return answer(404, 'text/plain', 'Not found');
      const states = Object.fromEntries(await Promise.all(Object.entries(options.checks).map(state)));
      const ready = Object.values(states).every((value) => value === 'ok');
      const body = JSON.stringify({ status: ready ? 'ok' : 'down', checks: states });
      return answer(ready ? 200 : 503, 'application/json', body);
    };
    serve().catch(() => response.destroy());
  });
}

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
