/** The web process, until SIGTERM or SIGINT. It serves Next's development server if NODE_ENV is `development`. */
import { once } from 'node:events';
import { Server } from 'node:http';
import { inspect } from 'node:util';
import { isDevelopmentServer, readEnv, realtimeUrl } from './env.ts';
import { secretsOf } from './lib/security/secrets.ts';
import { createSocketForwarder } from './lib/server/forward-sockets.ts';
import { createWebServer } from './lib/server/web-server.ts';
import type { RequestHandler } from './lib/server/web-server.ts';

const env = readEnv();
const { CLARION_BIND: hostname, CLARION_WEB_PORT: port } = env;
const dev = isDevelopmentServer();
/** Never listens. Next adds its listener for upgrades to it; on the real server it would also forward those of sockets. */
const httpServer = new Server();
const sockets = createSocketForwarder({ target: realtimeUrl(env), env, secrets: secretsOf(env) });
const { promise: pages, resolve: nextStarted } = Promise.withResolvers<RequestHandler>();
const server = createWebServer({
  sockets,
  pages,
  onError: (error) => process.stderr.write(`a request failed: ${inspect(error)}\n`),
  ...(dev && { hotReload: (...upgrade) => httpServer.emit('upgrade', ...upgrade) }),
});
server.listen(port, hostname);
await once(server, 'listening');

const { default: next } = await import('next');
const app = next({ dev, dir: import.meta.dirname, hostname, port, httpServer });
await app.prepare();
nextStarted(app.getRequestHandler());

let stopping = false;
function stop(): void {
  if (stopping) return;
  stopping = true;
  server.close(() => void app.close().finally(() => process.exit(0)));
  sockets.close();
}
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
