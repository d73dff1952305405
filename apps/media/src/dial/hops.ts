/**
 * The hops of an outbound call: the addresses to which an INVITE is sent, one after another, from the destinations of a
 * trunk or the target of a redirect. Names are looked up when their turn comes.
 */
import { isIP } from 'node:net';
import type { FailureCode } from '@clarion/protocol';
import type { DialAttempt, TrunkTarget } from '@clarion/protocol/media';
import { escapeUser } from '../sip/headers.ts';
import type { CarrierDns } from './carrier-dns.ts';
import { MAX_RECORDS } from './carrier-dns.ts';
import { inOrder } from './destination-order.ts';
import type { HopMemory } from './hop-memory.ts';
import type { RedirectTarget, Transport } from './redirect.ts';

/** Number of hops of one trunk, or of one redirect, that are tried in one call. */
export const MAX_HOPS = 8;
/** RFC 3261 §19.1.2. */
const DEFAULT_PORT: Record<Transport, number> = { UDP: 5060, TCP: 5060, TLS: 5061 };
/** RFC 3263 §4.1. */
const SRV_SERVICE: Record<Transport, string> = { UDP: '_sip._udp', TCP: '_sip._tcp', TLS: '_sips._tcp' };
/** A host name or an address, without characters that could end the URI that contains it. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\]|[\da-f:]+)$/i;

export interface Hop {
  /** For the log and the memory: `udp 192.0.2.1:5060`. */
  key: string;
  requestUri: string;
  /** The next hop as a SIP URI, if it is not the Request-URI itself. */
  proxy: string | null;
  address: string;
  transport: Transport;
  /** Whether this address belongs to the trunk, so that its credentials may be sent there. */
  trusted: boolean;
}

/** Why there is no hop for a host name. */
export interface NoHop {
  reason: FailureCode;
  message: string;
}

export interface HopSources {
  dns: CarrierDns;
  memory: HopMemory;
  /** Whether anything may be sent to an address. */
  maySendTo: (address: string) => boolean;
  random: () => number;
}

interface Located {
  address: string;
  port: number;
}

/** The hops of a trunk: those that did not respond recently come last, and those that asked us to wait are omitted. */
export async function* hopsOf(
  { trunk, called }: DialAttempt,
  sources: HopSources,
): AsyncGenerator<Hop | NoHop> {
  const own = { host: trunk.host, port: trunk.port, priority: 0, weight: 1, srv: trunk.useSrv };
  const others = trunk.destinations.map((destination) => ({ ...destination, srv: false }));
  const last: Hop[] = [];
  let found = 0;
  const mayUse = (address: string) => trunk.platform === true || sources.maySendTo(address);
  for (const { host, port, srv } of inOrder([own, ...others], sources.random)) {
    const at = { host, transport: trunk.transport, port: srv ? null : port, fallback: port };
    const located = await locate({ ...sources, maySendTo: mayUse }, at);
    if (!Array.isArray(located)) yield located;
    else {
      for (const one of located) {
        if ((found += 1) > MAX_HOPS) break;
        const uri = requestUri(called, host, srv ? null : port, trunk.transport, trunk.identity.userPhone);
        const hop = hopTo(one, { host, transport: trunk.transport, uri, trusted: true, called });
        const standing = sources.memory.standing(hop.key);
        if (standing === 'tried last') last.push(hop);
        else if (standing === 'good') yield hop;
        else yield { reason: 'carrier_error', message: `${hop.key} asked to wait (Retry-After)` };
      }
    }
  }
  yield* last;
}

/** The hops of a redirect's target. */
export async function* hopsOfTarget(
  target: RedirectTarget,
  { trunk, called }: DialAttempt,
  sources: HopSources,
): AsyncGenerator<Hop | NoHop> {
  const { host, transport } = target;
  const srv = target.port === null && isIP(bare(host)) === 0;
  const fallback = target.port ?? DEFAULT_PORT[transport];
  const trusted = await isOfTrunk(host, trunk, sources);
  const mayUse = (address: string) =>
    sources.maySendTo(address) || (trunk.platform === true && trusted(address));
  const at = { host, transport, port: srv ? null : fallback, fallback };
  const located = await locate({ ...sources, maySendTo: mayUse }, at);
  if (!Array.isArray(located)) return yield located;
  const uri =
    target.user === null
      ? requestUri(called, trunk.host, trunk.useSrv ? null : trunk.port, trunk.transport, target.userPhone)
      : requestUri(target.user, host, target.port, transport, target.userPhone);
  for (const one of located.slice(0, MAX_HOPS)) {
    yield hopTo(one, { host, transport, uri, trusted: trusted(one.address), called: target.user ?? called });
  }
}

/** Whether an address is one of the trunk's, or reached by one of the trunk's names. */
async function isOfTrunk(
  host: string,
  trunk: TrunkTarget,
  { dns }: HopSources,
): Promise<(address: string) => boolean> {
  const names = [trunk.host, ...trunk.destinations.map((destination) => destination.host)];
  if (names.some((name) => name.toLowerCase() === host.toLowerCase())) return () => true;
  const own = await Promise.all(names.slice(0, MAX_HOPS).map((name) => dns.addresses(name)));
  const addresses = new Set(own.flat());
  return (address) => addresses.has(address);
}

/** Addresses and ports of a host, best first. `port` null: by SRV records, and `fallback` if there are none. */
async function locate(
  { dns, maySendTo, random }: HopSources,
  {
    host,
    transport,
    port,
    fallback,
  }: { host: string; transport: Transport; port: number | null; fallback: number },
): Promise<Located[] | NoHop> {
  if (!HOST.test(host)) return { reason: 'host_not_found', message: 'the host is not valid in a SIP URI' };
  const records = port === null ? await dns.services(`${SRV_SERVICE[transport]}.${host}`) : [];
  const named =
    records.length === 0
      ? [{ name: host, port: port ?? fallback }]
      : inOrder(records, random).filter(({ name }) => name !== '' && name !== '.');
  const located = await Promise.all(
    named.slice(0, MAX_RECORDS).map(async (record) => {
      const addresses = await dns.addresses(record.name);
      return addresses.map((address) => ({ address, port: record.port }));
    }),
  );
  const all = located.flat();
  if (all.length === 0) return { reason: 'host_not_found', message: `${host} has no address` };
  // One address that is not public refuses the name: it is misconfigured or hostile.
  if (!all.every(({ address }) => maySendTo(address)))
    return { reason: 'host_private', message: `${host} has an address that is not public` };
  return all;
}

const bare = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');
/** As in a URI: IPv6 addresses have brackets. */
const inUri = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);

function requestUri(
  called: string,
  host: string,
  port: number | null,
  transport: Transport,
  userPhone: boolean,
): string {
  if (/^sips?:/i.test(called)) return called;
  const hostPort = port === null ? inUri(host) : `${inUri(host)}:${port}`;
  const over = transport === 'UDP' ? '' : `;transport=${transport.toLowerCase()}`;
  return `sip:${escapeUser(called)}@${hostPort}${userPhone ? ';user=phone' : ''}${over}`;
}

/** `maddr` names the address, so that the SIP server looks nothing up; the host name is the certificate's. */
function hopTo(
  { address, port }: Located,
  hop: { host: string; transport: Transport; uri: string; trusted: boolean; called: string },
): Hop {
  const { host, transport, uri, trusted } = hop;
  const over = transport === 'UDP' ? '' : `;transport=${transport.toLowerCase()}`;
  const literal = isIP(bare(host)) !== 0;
  const direct = literal && uri.includes(`@${inUri(host)}:${port}`);
  const proxy = literal
    ? `sip:${inUri(address)}:${port}${over}`
    : `sip:${host}:${port};maddr=${inUri(address)}${over}`;
  return {
    key: `${transport.toLowerCase()} ${inUri(address)}:${port}`,
    requestUri: uri,
    proxy: direct ? null : proxy,
    address,
    transport,
    trusted,
  };
}
