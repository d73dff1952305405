/**
 * Refuses WebSocket upgrades of any path but the agents' sockets. Next leaves upgrades of unknown paths open for a custom server;
 * there is none here, and such connections would use memory for as long as the client keeps them open.
 */
import { subscribe } from 'node:diagnostics_channel';
import { Server } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Socket } from 'node:net';
import { isDevelopmentServer } from '../../env.ts';
import { namePeer } from '../api/client-address.ts';

/** As proxy.ts forwards them. */
const SOCKET_PATHS = new Set(['/socket.io', '/socket.io/']);
/** Next's hot reload, in development only. */
const DEVELOPMENT_PATH = /^\/_next\//;
/** Once realtime has closed its side, a client has this long to read the rest and close its own. */
const CLOSE_GRACE_MS = 2_000;

/** Call once when the process starts: every HTTP server in it then refuses upgrades of other paths. */
export function guardUpgrades(): void {
  const guarded = new WeakSet<Server>();
  // Next does not expose its server, but a connection has a reference to the server that accepted it.
  subscribe('net.server.socket', (message) => {
    const { socket } = message as { socket: { server?: unknown } };
    const { server } = socket;
    if (!(server instanceof Server) || guarded.has(server)) return;
    guarded.add(server);
    // Without a listener Node answers an upgrade as an ordinary request.
    if (server.listenerCount('upgrade') > 0) server.prependListener('upgrade', guard);
  });
}

function guard(request: IncomingMessage, socket: Duplex): void {
  const path = request.url?.split('?', 1)[0] ?? '';
  if (!SOCKET_PATHS.has(path)) {
    if (!(isDevelopmentServer() && DEVELOPMENT_PATH.test(path))) socket.destroy();
    return;
  }
  if (socket instanceof Socket) namePeer(request, socket);
  // Node's HTTP sockets stay half open after we end them, until the client closes its side.
  socket.once('finish', () => setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref());
}
