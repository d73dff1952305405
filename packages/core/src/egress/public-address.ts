/** Which addresses are on the public internet. Pure: no look-ups. */
import ipaddr from 'ipaddr.js';

/** All of the public IPv6 internet (RFC 4291, 2.4). What lies outside, such as `::7f00:1`, may end inside this network. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether packets to this address leave for the public internet. False for private, loopback, link-local (the cloud's
 * metadata too), shared, documentation, benchmarking, multicast and reserved ranges, and for every IPv6 form that carries an
 * IPv4 address (mapped, translated, 6to4, Teredo) unless it is mapped and that address is public. False for what is no address.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST_V6);
}

/** The address when `host` is one (a URL's host, brackets and all), else null: it is a name. */
export function literalAddress(host: string): string | null {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  return ipaddr.isValid(bare) ? bare : null;
}
