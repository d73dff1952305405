import { isIP } from 'node:net';
import { invalidField } from '@clarion/protocol';
import ipaddr from 'ipaddr.js';

const MAX_PREFIX_BITS = { 4: 32, 6: 128 } as const;

/**
 * Whether it is an address or network that PostgreSQL's `inet` accepts. Stricter than ipaddr.js, which also accepts shortened addresses,
 * zones, and embedded IPv4 addresses with leading zeros.
 */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if ((family !== 4 && family !== 6) || more.length > 0) return false;
  if (address.includes('%')) return false;
  // Sources are compared as IPv4 (RFC 4291, section 2.5.5), so such a network would match none.
  if (family === 6 && ipaddr.IPv6.parse(address).isIPv4MappedAddress()) return false;
  return (
    prefix === undefined || (/^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= MAX_PREFIX_BITS[family])
  );
}

/** For the operator, who may list private addresses and wide ranges. @throws 400 inbound_source_cidrs */
export function assertSources(sources: readonly string[]): void {
  const wrong = sources.find((source) => !isNetwork(source));
  if (wrong === undefined) return;
  throw invalidField(
    'inbound_source_cidrs',
    `inbound_source_cidrs: ${wrong} is not an IP address or CIDR range.`,
  );
}
