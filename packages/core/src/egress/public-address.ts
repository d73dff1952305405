/** Decides which addresses belong to the public internet. Pure: no lookups. */
import ipaddr from 'ipaddr.js';

/** The whole public IPv6 internet (RFC 4291, 2.4). Addresses outside it, such as `::7f00:1`, may be routed inside this network. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether packets to this address leave for the public internet. False for private, loopback, link-local (including the cloud's metadata
 * address), shared, documentation, benchmarking, multicast and reserved ranges, and for every IPv6 form that contains an IPv4 address
 * (mapped, translated, 6to4, Teredo) unless it is mapped and that address is public. False for text that is not an address.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST_V6);
}

/** The address if `host` is one (in the notation of URLs, with brackets), otherwise null: it is a name. */
export function literalAddress(host: string): string | null {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  return ipaddr.isValid(bare) ? bare : null;
}

/** The widest ranges that `isPublicNetwork` can decide: no special range is narrower, so each such network lies within one or outside. */
const WIDEST = { ipv4: 24, ipv6: 48 } as const;

/** Whether every address of a network (CIDR) or a single address is public. False for networks wider than /24 (IPv6: /48). */
export function isPublicNetwork(text: string): boolean {
  if (!text.includes('/')) return isPublicAddress(text);
  if (!ipaddr.isValidCIDR(text)) return false;
  const [address, bits] = ipaddr.parseCIDR(text);
  if (bits < WIDEST[address.kind()]) return false;
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  const [first, last] = [family.networkAddressFromCIDR(text), family.broadcastAddressFromCIDR(text)];
  return isPublicAddress(first.toString()) && isPublicAddress(last.toString());
}
