/** Which of our addresses a peer gets: in Via, Contact and for `@localhost` (drachtio's external-ip). */
import { BlockList, isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** How long the list of interfaces is cached. Ms. */
const INTERFACES_TTL_MS = 10_000;

interface Interface {
  readonly address: string;
  readonly netmask: string;
}

export class Addresses {
  readonly #bind: string;
  readonly #publicIp: string | undefined;
  readonly #now: () => number;
  #interfaces: Interface[] = [];
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(bind: string, publicIp: string | undefined, now: () => number) {
    this.#bind = bind;
    this.#publicIp = publicIp;
    this.#now = now;
  }

  /** Our address for this peer: the public one outside our networks, that of the interface inside them. */
  ownAddressFor(peerAddress: string): string {
    const wildcard = this.#bind === '0.0.0.0' || this.#bind === '::';
    if (this.#publicIp !== undefined && !this.#isLocal(peerAddress)) return this.#publicIp;
    if (!wildcard) return this.#bind;
    if (isLoopback(peerAddress)) return isIPv6(peerAddress) ? '::1' : '127.0.0.1';
    const interfaces = this.#list();
    const same = interfaces.find((nic) => sameNetwork(nic, peerAddress));
    if (same !== undefined) return same.address;
    const first = interfaces.find(
      (nic) => !isLoopback(nic.address) && isIPv6(nic.address) === isIPv6(peerAddress),
    );
    return first?.address ?? '127.0.0.1';
  }

  /** Whether an address is one of this machine's. */
  isOwn(address: string): boolean {
    if (address === this.#bind || address === this.#publicIp) return true;
    const wildcard = this.#bind === '0.0.0.0' || this.#bind === '::';
    return wildcard && (isLoopback(address) || this.#list().some((nic) => nic.address === address));
  }

  #isLocal(address: string): boolean {
    return isLoopback(address) || isPrivate(address) || this.#list().some((nic) => sameNetwork(nic, address));
  }

  #list(): Interface[] {
    const now = this.#now();
    if (now - this.#readAt > INTERFACES_TTL_MS) {
      this.#readAt = now;
      this.#interfaces = Object.values(networkInterfaces()).flatMap((nics) => nics ?? []);
    }
    return this.#interfaces;
  }
}

/** IPv4 addresses written as IPv6 (`::ffff:10.0.0.1`), as on a socket for both, are in the lists too. */
const LOOPBACK = blockList(['127.0.0.0/8', '::1/128']);
/** RFC 1918, RFC 6598, link-local and unique-local addresses: not reachable from outside. */
const PRIVATE = blockList([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
]);
/** Connecting to these reaches this machine (RFC 1122 §3.2.1.3). */
const UNSPECIFIED = blockList(['0.0.0.0/8', '::/128']);

export function isLoopback(address: string): boolean {
  return isIn(LOOPBACK, address);
}

export function isPrivate(address: string): boolean {
  return isIn(PRIVATE, address);
}

/** Whether an address is loopback, private or link-local: it means something else to a remote party outside. */
export function isInternal(address: string): boolean {
  return isLoopback(address) || isPrivate(address) || isIn(UNSPECIFIED, address);
}

function blockList(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = '', bits] = subnet.split('/');
    list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return list;
}

function isIn(list: BlockList, address: string): boolean {
  const [withoutZone = ''] = address.split('%');
  if (isIP(withoutZone) === 0) return false;
  return list.check(withoutZone, isIPv6(withoutZone) ? 'ipv6' : 'ipv4');
}

function sameNetwork(nic: Interface, address: string): boolean {
  if (isIP(nic.address) !== 4 || isIP(address) !== 4) return false;
  const mask = toNumber(nic.netmask);
  return (toNumber(nic.address) & mask) === (toNumber(address) & mask);
}

function toNumber(ipv4: string): number {
  return ipv4.split('.').reduce((sum, part) => ((sum << 8) | Number(part)) >>> 0, 0) | 0;
}
