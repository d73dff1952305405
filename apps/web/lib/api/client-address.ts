/**
 * Where a request comes from, for limits per address. The header is written here, over whatever the client sent, from the
 * connection itself; X-Forwarded-For counts only as far as the deployment's own proxies wrote it.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { subscriberOf } from '@clarion/core/security/client-address';
import type { Env } from '../../env.ts';

const PEER_HEADER = 'x-clarion-peer';

/** Call once when the process starts: every request of its HTTP servers then names its connection's other end. */
export function notePeers(): void {
  subscribe('http.server.request.start', (message) => {
    const { request, socket } = message as { request: IncomingMessage; socket: Socket };
    namePeer(request, socket);
  });
}

export function namePeer(request: IncomingMessage, socket: Socket): void {
  request.headers[PEER_HEADER] = socket.remoteAddress ?? '';
}

type Forwarded = Pick<Request, 'headers'>;
type Trust = Pick<Env, 'CLARION_TRUSTED_PROXIES'>;

/** Behind n proxies of our own, the n-th address from the right is the one that the outermost of them saw. */
export function clientAddress(request: Forwarded, env: Trust): string {
  const seen = seenAddresses(request);
  return subscriberOf(seen.at(-1 - env.CLARION_TRUSTED_PROXIES) ?? seen[0] ?? '');
}

/**
 * Whether X-Forwarded-For names more than is believed: the client wrote it, or a proxy that CLARION_TRUSTED_PROXIES does not count, so that
 * all of its clients have one address. Next adds the connection's own address where the header is missing.
 */
export function hasUntrustedForwarding(request: Forwarded, env: Trust): boolean {
  const seen = seenAddresses(request);
  const untrusted = seen.slice(0, Math.max(0, seen.length - 1 - env.CLARION_TRUSTED_PROXIES));
  return untrusted.some((address) => address !== '' && address !== seen.at(-1));
}

/** From the farthest to the connection's other end. */
function seenAddresses({ headers }: Forwarded): string[] {
  const forwarded = (headers.get('x-forwarded-for') ?? '').split(',').map((address) => address.trim());
  return [...forwarded, headers.get(PEER_HEADER) ?? ''];
}
