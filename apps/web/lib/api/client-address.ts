/**
 * The client address of a request, for limits per address. The peer header is set here from the connection and overwrites what
 * the client sent. X-Forwarded-For is trusted only as far as the deployment's own proxies wrote it.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { subscriberOf } from '@clarion/core/security/client-address';
import type { Env } from '../../env.ts';

const PEER_HEADER = 'x-clarion-peer';

/** Every request has the remote address of its connection, whatever the client sent. */
export function namePeer(request: IncomingMessage, socket: Socket): void {
  request.headers[PEER_HEADER] = socket.remoteAddress ?? '';
}

interface Forwarded {
  headers: Pick<Headers, 'get'>;
}
type Trust = Pick<Env, 'CLARION_TRUSTED_PROXIES'>;

/** Behind n trusted proxies, the n-th address from the right is the one that the outermost proxy saw. */
export function clientAddress(request: Forwarded, env: Trust): string {
  const seen = seenAddresses(request);
  return subscriberOf(seen.at(-1 - env.CLARION_TRUSTED_PROXIES) ?? seen[0] ?? '');
}

/**
 * Whether X-Forwarded-For contains untrusted addresses: written by the client, or by a proxy that CLARION_TRUSTED_PROXIES does not
 * count, in which case all its clients share one address. Next adds the connection's address where the header is missing.
 */
export function hasUntrustedForwarding(request: Forwarded, env: Trust): boolean {
  const seen = seenAddresses(request);
  const untrusted = seen.slice(0, Math.max(0, seen.length - 1 - env.CLARION_TRUSTED_PROXIES));
  return untrusted.some((address) => address !== '' && address !== seen.at(-1));
}

/** From the most distant address to the remote address of the connection. */
function seenAddresses({ headers }: Forwarded): string[] {
  const forwarded = (headers.get('x-forwarded-for') ?? '').split(',').map((address) => address.trim());
  return [...forwarded, headers.get(PEER_HEADER) ?? ''];
}
