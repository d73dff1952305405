/** A set of CIDR ranges for IPv4 and IPv6, with `BlockList` of `node:net`. Pure. */
import { BlockList, isIP } from 'node:net';

export interface AddressSet {
  has: (address: string) => boolean;
}

/** Converts IPv4-mapped IPv6 (`::ffff:192.0.2.1`) to IPv4. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address;
}

/** Ignores entries that are not an address or CIDR range. */
export function addressSet(cidrs: readonly string[]): AddressSet {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', prefix] = cidr.trim().split('/');
    const family = isIP(address);
    if (family === 0) continue;
    const widest = family === 4 ? 32 : 128;
    const bits = prefix === undefined ? widest : Number(prefix);
    if (!Number.isInteger(bits) || bits < 0 || bits > widest) continue;
    list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  }
  return {
    has: (address) => {
      const plain = plainAddress(address);
      const family = isIP(plain);
      return family !== 0 && list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
    },
  };
}
