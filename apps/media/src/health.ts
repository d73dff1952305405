/** Serves `/healthz` (the process is alive), `/readyz` (the state of each dependency, and whether the node takes new calls) and `/metrics`. */
import { createServer, type Server } from 'node:http';
import type { Registry } from 'prom-client';

export interface HealthInput {
  host: string;
  port: number;
  registry: Registry;
  /** The state of each dependency by name. The node is ready when all are up. */
  dependencies: () => Record<string, boolean>;
  /** Whether the node waits for its calls to end; then it is not ready. */
  draining: () => boolean;
}

export async function startHealth(input: HealthInput): Promise<Server> {
  const server = createServer((req, res) => {
    const path = req.url?.split('?')[0];
    if (path === '/healthz') {
      res.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}');
    } else if (path === '/readyz') {
      const dependencies = input.dependencies();
      const up = Object.values(dependencies).every(Boolean);
      const status = input.draining() ? 'draining' : up ? 'ok' : 'unavailable';
      res
        .writeHead(status === 'ok' ? 200 : 503, { 'content-type': 'application/json' })
        .end(JSON.stringify({ status, dependencies }));
    } else if (path === '/metrics') {
      void input.registry
        .metrics()
        .then((text) => res.writeHead(200, { 'content-type': input.registry.contentType }).end(text))
        .catch(() => res.destroy());
    } else {
      res.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(input.port, input.host, resolve);
  });
  return server;
}
