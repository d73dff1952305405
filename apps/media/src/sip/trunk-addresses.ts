/**
 * The addresses of a trunk's host: DNS (RFC 3263, section 4.2) and the check that they may be contacted. Requests are sent to the address that
 * was checked, so that a DNS answer that changes afterwards cannot lead into our own network.
 */
import type { SrvRecord } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { NameFacts } from '@clarion/protocol/carrier-requests';
import type { TrunkTarget } from '@clarion/protocol/media';

/** A name server that does not answer within this time is queried once more. */
const DNS_TIMEOUT_MS = 800;
const DNS_TRIES = 2;
/** The most SRV records and addresses that are looked at. */
const MAX_RECORDS = 4;

/** Throws if there are none. */
export interface Dns {
  addresses: (name: string) => Promise<string[]>;
  srv: (name: string) => Promise<SrvRecord[]>;
}

/** Where a request is sent. `host` is the name that a certificate must have. */
export interface Hop {
  host: string;
  address: string;
  port: number;
}

export interface Located {
  /** In the order in which they are tried; empty: none may be contacted. */
  hops: Hop[];
  facts: NameFacts;
}

/**
 * DNS without Node's thread pool, which a few silent name servers could fill. Unlike CarrierDns, whose answers calls share, it caches
 * nothing and says why a look-up failed: requests outside calls report what DNS says now.
 *
 * @param allowPrivate development: the host's own names (localhost, /etc/hosts) are resolved too
 * @param servers `address:port`; the system's if omitted
 */
export function trunkDns(allowPrivate: boolean, servers?: readonly string[]): Dns {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  if (servers) resolver.setServers(servers);
  const query = async (name: string): Promise<string[]> => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw answers.find((answer) => answer.status === 'rejected')?.reason;
    return addresses;
  };
  return {
    addresses:
      allowPrivate && !servers
        ? async (name) =>
            (await lookup(name, { all: true, order: 'ipv4first' })).map(({ address }) => address)
        : query,
    srv: (name) => resolver.resolveSrv(name),
  };
}

/** Never throws. */
export async function locateTrunk(
  target: Pick<TrunkTarget, 'host' | 'port' | 'transport' | 'useSrv'>,
  dns: Dns,
  maySendTo: (address: string) => boolean,
): Promise<Located> {
  const host = target.host.replace(/^\[(.*)\]$/, '$1');
  const facts: NameFacts = { host, addresses: [], refused: [], srv: null, error: null };
  const hops: Hop[] = [];
  const add = (name: string, port: number, addresses: readonly string[]): void => {
    for (const address of addresses.slice(0, MAX_RECORDS)) {
      facts.addresses.push(address);
      if (maySendTo(address)) hops.push({ host: name, address, port });
      else facts.refused.push(address);
    }
  };
  try {
    const records = target.useSrv && isIP(host) === 0 ? await srvOf(host, target.transport, dns) : null;
    if (records) facts.srv = records.map(({ name, port }) => `${name}:${port}`);
    if (isIP(host) !== 0) add(host, target.port, [host]);
    else if (!records || records.length === 0) add(host, target.port, await dns.addresses(host));
    else await addRecords(records, dns, add);
  } catch (error) {
    facts.error = dnsError(error);
  }
  // One address that is not public refuses the name: it is misconfigured or hostile.
  return { hops: facts.refused.length > 0 ? [] : hops, facts };
}

async function addRecords(
  records: SrvRecord[],
  dns: Dns,
  add: (name: string, port: number, addresses: readonly string[]) => void,
): Promise<void> {
  const found = await Promise.allSettled(records.map(({ name }) => dns.addresses(name)));
  found.forEach((answer, index) => {
    const record = records[index];
    if (record && answer.status === 'fulfilled') add(record.name, record.port, answer.value);
  });
  const failed = found.find((answer) => answer.status === 'rejected');
  if (found.every((answer) => answer.status === 'rejected')) throw failed?.reason;
}

/** Lower priorities first, and among equal ones the largest weight: a check has no share of the calls. */
async function srvOf(host: string, transport: TrunkTarget['transport'], dns: Dns): Promise<SrvRecord[]> {
  const service = transport === 'TLS' ? `_sips._tcp.${host}` : `_sip._${transport.toLowerCase()}.${host}`;
  const records = await dns.srv(service).catch(() => []);
  return records.toSorted((a, b) => a.priority - b.priority || b.weight - a.weight).slice(0, MAX_RECORDS);
}

function dnsError(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  if (code === 'ENOTFOUND' || code === 'ENODATA') return 'The host name does not exist or has no address.';
  return `The host name cannot be looked up${code === '' ? '' : ` (${code})`}.`;
}
