/**
 * Client addresses for limits per address, and the header by which the web process reports the address of a forwarded client to realtime.
 */
import ipaddr from 'ipaddr.js';
import type { SecretBox } from './secret-box.ts';

/** An IPv6 subscriber has at least a /64 (RFC 6177). */
const IPV6_SUBSCRIBER_BITS = 64;

/** The key by which a subscriber is counted: an IPv4 address, or the /64 network of an IPv6 address. */
export function subscriberOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_SUBSCRIBER_BITS}`).toString();
}

/** The source address does not prove who sent the header, so it is signed with a key that both processes derive from the master key. */
export const signedClient = (secrets: SecretBox, subscriber: string): string =>
  `${subscriber} ${secrets.sign('client-address', subscriber)}`;

/** Null unless `signedClient` created the header. */
export function readSignedClient(secrets: SecretBox, header: string | string[] | undefined): string | null {
  const [subscriber = '', signature = ''] = typeof header === 'string' ? header.split(' ') : [];
  return secrets.isSigned('client-address', subscriber, signature) ? subscriber : null;
}
