/** Clients as limits per address count them, and the header by which the web process tells realtime of the clients it forwards. */
import ipaddr from 'ipaddr.js';
import type { SecretBox } from './secret-box.ts';

/** One IPv6 subscriber has at least a /64 (RFC 6177). */
const IPV6_SUBSCRIBER_BITS = 64;

/** What one subscriber is counted by: an IPv4 address, or the /64 network of an IPv6 address. */
export function subscriberOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_SUBSCRIBER_BITS}`).toString();
}

/** A network address says nothing about who sent the header, so it is signed with a key that both processes derive from the master key. */
export const signedClient = (secrets: SecretBox, subscriber: string): string =>
  `${subscriber} ${secrets.sign('client-address', subscriber)}`;

/** Null unless `signedClient` made the header. */
export function readSignedClient(secrets: SecretBox, header: string | string[] | undefined): string | null {
  const [subscriber = '', signature = ''] = typeof header === 'string' ? header.split(' ') : [];
  return secrets.isSigned('client-address', subscriber, signature) ? subscriber : null;
}
