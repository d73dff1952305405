/** Which of our addresses a peer gets: in Via, Contact and for `@localhost` (drachtio's external-ip). */
import { isIP, isIPv6 } from 'node:net';
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

export function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1' || address.startsWith('::ffff:127.');
}

/** RFC 1918, RFC 6598, link-local and unique-local addresses: not reachable from outside. */
export function isPrivate(address: string): boolean {
  if (isIP(address) === 4) {
    const [a = 0, b = 0] = address.split('.').map(Number);
    return (
      a === 10 ||
      (a === 172 && b >= 16 && b <= 31) ||
      (a === 192 && b === 168) ||
      (a === 100 && b >= 64 && b <= 127) ||
      (a === 169 && b === 254)
    );
  }
  const lower = address.toLowerCase();
  return lower.startsWith('fc') || lower.startsWith('fd') || lower.startsWith('fe80');
}

function sameNetwork(nic: Interface, address: string): boolean {
  if (isIP(nic.address) !== 4 || isIP(address) !== 4) return false;
  const mask = toNumber(nic.netmask);
  return (toNumber(nic.address) & mask) === (toNumber(address) & mask);
}

function toNumber(ipv4: string): number {
  return ipv4.split('.').reduce((sum, part) => ((sum << 8) | Number(part)) >>> 0, 0) | 0;
}
