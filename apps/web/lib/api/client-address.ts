/**
 * Where a request comes from, for limits per address. The header is written here, over whatever the client sent, from the
 * connection itself; X-Forwarded-For counts only as far as the deployment's own proxies wrote it.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Env } from '../../env.ts';

const PEER_HEADER = 'x-clarion-peer';
/** One IPv6 subscriber has at least a /64. */
const IPV6_SUBSCRIBER_BITS = 64;

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

/** Behind n proxies of our own, the n-th address from the right is the one that the outermost of them saw. */
export function clientAddress(
  request: Pick<Request, 'headers'>,
  env: Pick<Env, 'CLARION_TRUSTED_PROXIES'>,
): string {
  const forwarded = (request.headers.get('x-forwarded-for') ?? '')
    .split(',')
    .map((address) => address.trim());
  const seen = [...forwarded, request.headers.get(PEER_HEADER) ?? ''];
  return subscriber(seen.at(-1 - env.CLARION_TRUSTED_PROXIES) ?? seen[0] ?? '');
}

function subscriber(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_SUBSCRIBER_BITS}`).toString();
}
