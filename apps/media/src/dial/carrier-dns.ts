/**
 * Looks up addresses and SRV records of carriers (RFC 3263 §4.2), with limits on time and number, and caches them by
 * their TTL. For calls; requests outside calls use `trunkDns` (sip/trunk-addresses.ts), which says why a look-up failed.
 */
import type { SrvRecord } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** A look-up that takes longer counts as failed: the caller's agent is waiting. Ms. */
export const DNS_TIMEOUT_MS = 2_000;
/** Records are cached for their TTL, but at least and at most this long. Seconds. */
const MIN_TTL_SECONDS = 5;
const MAX_TTL_SECONDS = 300;
/** For SRV records and names of the hosts file, whose TTL is unknown. Seconds. */
const UNKNOWN_TTL_SECONDS = 30;
/** Number of cached names; the oldest are evicted. */
const MAX_CACHED = 1_000;
/** Number of SRV records of a name that are used, and of addresses of one host. */
export const MAX_RECORDS = 8;

interface Found<T> {
  records: T[];
  ttlSeconds: number;
}

export interface CarrierDnsOptions {
  /** IPv4 only, as our sockets, or both families. */
  family: 4 | 6;
  /**
   * Development: the host's own names (localhost, /etc/hosts) are resolved too. The system's resolver, which reads them,
   * occupies a thread that file I/O needs for as long as a name server is silent.
   */
  localNames: boolean;
  /** Addresses of name servers instead of the system's. */
  servers?: readonly string[];
}

export class CarrierDns {
  readonly #family: 4 | 6;
  readonly #localNames: boolean;
  readonly #resolver: Resolver;
  readonly #cache = new Map<string, { until: number; records: Promise<unknown[]> }>();

  constructor({ family, localNames, servers }: CarrierDnsOptions) {
    this.#family = family;
    this.#localNames = localNames;
    this.#resolver = new Resolver({ timeout: DNS_TIMEOUT_MS / 2, tries: 2 });
    if (servers) this.#resolver.setServers([...servers]);
  }

  /** The addresses of a host name, or the address itself; empty if there is none. */
  addresses(host: string): Promise<string[]> {
    const literal = host.replace(/^\[(.*)\]$/, '$1');
    if (isIP(literal) !== 0) return Promise.resolve([literal]);
    return this.#cached(`A ${literal.toLowerCase()}`, () => this.#addresses(literal));
  }

  /** The SRV records of a service name; empty if there are none. A record with the target `.` is no service. */
  services(name: string): Promise<SrvRecord[]> {
    return this.#cached(`SRV ${name.toLowerCase()}`, async () => ({
      records: await this.#resolver.resolveSrv(name),
      ttlSeconds: UNKNOWN_TTL_SECONDS,
    }));
  }

  async #addresses(host: string): Promise<Found<string>> {
    const options = { ttl: true } as const;
    const [ipv4, ipv6] = await Promise.allSettled([
      this.#resolver.resolve4(host, options),
      this.#family === 6 ? this.#resolver.resolve6(host, options) : [],
    ]);
    const found = [ipv4, ipv6].flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (found.length > 0) {
      return {
        records: found.map(({ address }) => address),
        ttlSeconds: Math.min(...found.map(({ ttl }) => ttl)),
      };
    }
    if (!this.#localNames) return { records: [], ttlSeconds: 0 };
    const local = await lookup(host, { all: true, ...(this.#family === 4 && { family: 4 }) });
    return { records: local.map(({ address }) => address), ttlSeconds: UNKNOWN_TTL_SECONDS };
  }

  #cached<T>(key: string, find: () => Promise<Found<T>>): Promise<T[]> {
    const now = performance.now();
    const cached = this.#cache.get(key);
    if (cached && cached.until > now) return cached.records as Promise<T[]>;
    const entry = { until: Number.POSITIVE_INFINITY, records: this.#find(key, find) };
    this.#cache.delete(key);
    this.#cache.set(key, entry);
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= MAX_CACHED) break;
      this.#cache.delete(oldest);
    }
    return entry.records;
  }

  /** Failures are cached for the shortest time, so that every call does not wait for a name server that is down. */
  async #find<T>(key: string, find: () => Promise<Found<T>>): Promise<T[]> {
    const found: Found<T> = await withTimeout(find()).catch(() => ({ records: [], ttlSeconds: 0 }));
    const ttl = Math.min(MAX_TTL_SECONDS, Math.max(MIN_TTL_SECONDS, found.ttlSeconds));
    const entry = this.#cache.get(key);
    if (entry) entry.until = performance.now() + ttl * 1_000;
    return found.records.slice(0, MAX_RECORDS);
  }
}

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('DNS look-up timed out')), DNS_TIMEOUT_MS);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
