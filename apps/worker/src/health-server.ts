/** /healthz: the process is alive. /readyz: each dependency with its state. /metrics: Prometheus. For the operator's network only. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

export interface HealthServer {
  port: number;
  close(): Promise<void>;
}

/** A dependency that does not respond within this time is down. */
const CHECK_TIMEOUT_MS = 2_000;

/** `checks`: name → resolves when that dependency works. */
export async function startHealthServer(options: {
  host: string;
  port: number;
  metrics: Registry;
  checks: Record<string, () => Promise<unknown>>;
}): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const answer = (status: number, type: string, body: string) =>
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    const serve = async () => {
      if (request.url === '/healthz') return answer(200, 'application/json', '{"status":"ok"}');
      if (request.url === '/metrics')
        return answer(200, options.metrics.contentType, await options.metrics.metrics());
      if (request.url !== '/readyz') return answer(404, 'text/plain', 'Not found');
      const states = Object.fromEntries(await Promise.all(Object.entries(options.checks).map(state)));
      const ready = Object.values(states).every((value) => value === 'ok');
      return answer(
        ready ? 200 : 503,
        'application/json',
        JSON.stringify({ status: ready ? 'ok' : 'down', checks: states }),
      );
    };
    serve().catch(() => response.destroy());
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function state([name, check]: [string, () => Promise<unknown>]): Promise<[string, 'ok' | 'down']> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timeout')), CHECK_TIMEOUT_MS);
  });
  try {
    await Promise.race([check(), timeout]);
    return [name, 'ok'];
  } catch {
    return [name, 'down'];
  } finally {
    clearTimeout(timer);
  }
}
