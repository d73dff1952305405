/** Where a connection comes from, for limits per address. Agents' sockets come through the web process, which passes their address on. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { CLIENT_ADDRESS_HEADER, UNTRUSTED_FORWARDING_HEADER } from '@clarion/protocol/socket';

/** Where the web process of this deployment may run: this machine, or a private network (RFC 1918, 4193, 3927, 4291). */
const nearby = new BlockList();
nearby.addSubnet('127.0.0.0', 8, 'ipv4');
nearby.addSubnet('10.0.0.0', 8, 'ipv4');
nearby.addSubnet('172.16.0.0', 12, 'ipv4');
nearby.addSubnet('192.168.0.0', 16, 'ipv4');
nearby.addSubnet('169.254.0.0', 16, 'ipv4');
nearby.addAddress('::1', 'ipv6');
nearby.addSubnet('fc00::', 7, 'ipv6');
nearby.addSubnet('fe80::', 10, 'ipv6');

/** Clients that connect to this port directly can forge the header, so it is trusted only from nearby addresses. */
export function clientAddress({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string {
  const peer = socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '') ?? '';
  const named = headers[CLIENT_ADDRESS_HEADER];
  return typeof named === 'string' && named !== '' && isNearby(peer) ? named : peer;
}

/** Whether the web process did not trust the X-Forwarded-For of this connection. Only for the log: anybody can send the header. */
export const hasUntrustedForwarding = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers[UNTRUSTED_FORWARDING_HEADER] === '1';

function isNearby(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && nearby.check(address, family === 6 ? 'ipv6' : 'ipv4');
}
