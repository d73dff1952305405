/** Resolves a URI to addresses and ports (RFC 3263 without NAPTR), by SRV and A/AAAA records, best first. */
import dns from 'node:dns/promises';
import { isIP } from 'node:net';
import type { SipUri } from '../message/uri.ts';
import { param } from '../message/uri.ts';
import type { Peer, Protocol } from './transport.ts';

/** Default ports (RFC 3261 §19.1.2). */
export const SIP_PORT = 5060;
export const SIPS_PORT = 5061;
/** How long DNS results are cached; carriers rarely change theirs, and calls are frequent. Ms. */
const DNS_TTL_MS = 30_000;
/** A DNS lookup that takes longer counts as failed. Ms. */
export const DNS_TIMEOUT_MS = 5_000;
/** Number of destinations tried for one request. */
const MAX_TARGETS = 4;

/** DNS lookups; replaced in the tests of this module. */
export interface Resolver {
  srv(name: string): Promise<{ name: string; port: number; priority: number; weight: number }[]>;
  addresses(name: string): Promise<string[]>;
}

export const systemResolver: Resolver = {
  srv: (name) => dns.resolveSrv(name),
  addresses: async (name) =>
    (await dns.lookup(name, { all: true, order: 'ipv4first' })).map((entry) => entry.address),
};

/** The transport of a URI, or else `fallback`; sips always means TLS. */
export function protocolOf(uri: SipUri, fallback: Protocol): Protocol | null {
  if (uri.scheme === 'sips') return 'tls';
  const named = param(uri.params, 'transport')?.toLowerCase();
  if (named === undefined) return fallback;
  return named === 'udp' || named === 'tcp' || named === 'tls' ? named : null;
}

/**
 * The destination of a URI whose host is an address; null if DNS is needed. `maddr` takes precedence over the host, whose name the
 * certificate must still have: an app that has resolved and checked the host passes on the address this way.
 */
export function locateNow(uri: SipUri, protocol: Protocol): Peer | null {
  const maddr = param(uri.params, 'maddr')?.replace(/^\[(.*)\]$/, '$1');
  const named = maddr ?? uri.host;
  const address = named === 'localhost' ? '127.0.0.1' : named;
  if (isIP(address) === 0) return null;
  const port = uri.port === 0 ? defaultPort(protocol) : uri.port;
  const isName = maddr !== undefined && uri.host !== maddr && isIP(uri.host) === 0;
  return { protocol, address, port, ...(isName && { host: uri.host }) };
}

export class Locator {
  readonly #resolver: Resolver;
  readonly #now: () => number;
  readonly #cache = new Map<string, { until: number; peers: Peer[] }>();

  constructor(resolver: Resolver, now: () => number) {
    this.#resolver = resolver;
    this.#now = now;
  }

  /** The destinations of a URI, best first; rejects if there are none. */
  async locate(uri: SipUri, protocol: Protocol): Promise<Peer[]> {
    const host = param(uri.params, 'maddr') ?? uri.host;
    const key = `${protocol}|${host}|${uri.port}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined && cached.until > this.#now()) return cached.peers;
    const peers = await withTimeout(this.#resolve(host, uri.port, protocol));
    if (peers.length === 0) throw new Error(`no address for ${host}`);
    for (const [old, entry] of this.#cache) if (entry.until <= this.#now()) this.#cache.delete(old);
    this.#cache.set(key, { until: this.#now() + DNS_TTL_MS, peers });
    return peers;
  }

  async #resolve(host: string, port: number, protocol: Protocol): Promise<Peer[]> {
    const at = async (name: string, atPort: number): Promise<Peer[]> =>
      (await this.#resolver.addresses(name)).map((address) => ({ protocol, address, port: atPort, host }));
    if (port !== 0) return (await at(host, port)).slice(0, MAX_TARGETS);
    const service = protocol === 'tls' ? `_sips._tcp.${host}` : `_sip._${protocol}.${host}`;
    const records = await this.#resolver.srv(service).catch(() => []);
    if (records.length === 0) return (await at(host, defaultPort(protocol))).slice(0, MAX_TARGETS);
    const peers: Peer[] = [];
    for (const record of bySrvOrder(records)) {
      peers.push(...(await at(record.name, record.port).catch(() => [])));
      if (peers.length >= MAX_TARGETS) break;
    }
    return peers.slice(0, MAX_TARGETS);
  }
}

/** Lower priority first; within one priority, random by weight (RFC 2782). */
function bySrvOrder<R extends { priority: number; weight: number }>(records: readonly R[]): R[] {
  const drawn = records.map((record) => ({
    record,
    draw: Math.random() ** (1 / Math.max(record.weight, 0.1)),
  }));
  drawn.sort((a, b) => a.record.priority - b.record.priority || b.draw - a.draw);
  return drawn.map(({ record }) => record);
}

function defaultPort(protocol: Protocol): number {
  return protocol === 'tls' ? SIPS_PORT : SIP_PORT;
}

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('DNS lookup timed out')), DNS_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
