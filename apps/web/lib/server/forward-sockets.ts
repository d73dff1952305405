/**
 * Forwards the agents' sockets (WebSocket and long polling) to realtime, with the client's address. Nothing is authenticated here: realtime
 * does that.
 */
import { Agent } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { signedClient } from '@clarion/core/security/client-address';
import type { SecretBox } from '@clarion/core/security/secret-box';
import { CLIENT_ADDRESS_HEADER, UNTRUSTED_FORWARDING_HEADER } from '@clarion/protocol/socket';
import { createProxyServer } from 'httpxy';
import type { Env } from '../../env.ts';
import { clientAddress, hasUntrustedForwarding } from '../api/client-address.ts';

/** The second one is sent by clients that add a slash. */
const SOCKET_PATHS = new Set(['/socket.io', '/socket.io/']);
/** Realtime answers a long poll after 5 s at the latest. */
const RESPONSE_TIMEOUT_MS = 30_000;
const UPGRADE_TIMEOUT_MS = 10_000;
/** Realtime sends a ping every 5 s, which the client answers: in a socket that is idle for longer, the client reads and sends nothing. */
const IDLE_TIMEOUT_MS = 30_000;
/** Once realtime has closed its side, a client has this long to read the rest and close its own. */
const CLOSE_GRACE_MS = 2_000;

export const isSocketPath = (path: string): boolean => SOCKET_PATHS.has(path);

export interface SocketForwarder {
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void;
  /** Closes the forwarded connections; their clients connect again, to whatever then listens on the address. */
  close(): void;
}

export interface ForwarderOptions {
  /** `http://host:port` of realtime */
  target: string;
  env: Pick<Env, 'CLARION_TRUSTED_PROXIES'>;
  secrets: SecretBox;
  /** Of a WebSocket. */
  idleTimeoutMs?: number;
}

export function createSocketForwarder({
  target,
  env,
  secrets,
  idleTimeoutMs = IDLE_TIMEOUT_MS,
}: ForwarderOptions): SocketForwarder {
  const agent = new Agent({ keepAlive: true });
  const proxy = createProxyServer({
    target,
    proxyTimeout: RESPONSE_TIMEOUT_MS,
    upgradeTimeout: UPGRADE_TIMEOUT_MS,
  });
  const open = new Set<Socket | ServerResponse>();
  const track = (connection: Socket | ServerResponse) => {
    open.add(connection);
    connection.once('close', () => open.delete(connection));
  };
  // Realtime is restarting, or the client has left: the socket.io client tries again.
  proxy.on('error', (_, __, answer) => {
    if (answer === undefined || 'destroySoon' in answer) return void answer?.destroy();
    if (answer.headersSent) answer.destroy();
    else answer.writeHead(502, { 'content-type': 'text/plain' }).end('Bad Gateway');
  });

  function prepare(request: IncomingMessage): void {
    const { headers, url = '' } = request;
    const forwarded = { headers: { get: (name: string) => headers[name]?.toString() ?? null } };
    headers[CLIENT_ADDRESS_HEADER] = signedClient(secrets, clientAddress(forwarded, env));
    headers[UNTRUSTED_FORWARDING_HEADER] = hasUntrustedForwarding(forwarded, env) ? '1' : '0';
    const query = url.indexOf('?');
    request.url = `/socket.io${query === -1 ? '' : url.slice(query)}`;
  }

  return {
    request(request, response) {
      track(response);
      prepare(request);
      delete request.headers.upgrade; // an offer of another protocol, which is not accepted
      proxy.web(request, response, { agent }).catch(() => response.destroy());
    },
    upgrade(request, socket, head) {
      track(socket);
      prepare(request);
      // Node's HTTP sockets stay half open after we end them, until the client closes its side.
      socket.once('finish', () => setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref());
      proxy.ws(request, socket, {}, head).catch(() => socket.destroy());
      // Without an error, httpxy would leave realtime's side open.
      socket.setTimeout(idleTimeoutMs, () => socket.destroy(new Error('the socket is idle')));
    },
    close() {
      for (const connection of open) connection.destroy();
      agent.destroy();
    },
  };
}
