/**
 * Host names in `c=` (allowed by RFC 4566 §5.7 and used by some carriers). A name is looked up once per description,
 * with a time limit, and only addresses of the families that our sockets can reach are used.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { parseCarrierSdp, requireReachable, SdpError, type CarrierSdp } from './carrier.ts';
import type { SrtpPolicy } from './crypto.ts';

/** The caller waits this long at most; a working name server responds sooner. */
export const RESOLVE_TIMEOUT_MS = 2_000;

/**
 * The number of libuv's four threads, which also serve file I/O, that lookups may use. A name server that does not
 * respond occupies a thread for much longer than our caller waits.
 */
export const MAX_CONCURRENT_LOOKUPS = 2;

/** Returns the addresses of a name. Throws if there are none. */
export type ResolveHost = (name: string) => Promise<readonly string[]>;

/** The host name in the SDP has no usable address. 488: the name does not exist. 500: the lookup failed. */
export class UnresolvedHost extends Error {
  readonly status: 488 | 500;

  constructor(message: string, status: 488 | 500) {
    super(message);
    this.name = 'UnresolvedHost';
    this.status = status;
  }
}

/** Limits concurrent lookups, one per name. A name whose caller has stopped waiting is not looked up. */
export function limitLookups(lookup: ResolveHost, most = MAX_CONCURRENT_LOOKUPS): ResolveHost {
  const open = new Map<string, Promise<readonly string[]>>();
  return async (name) => {
    const latestMs = performance.now() + RESOLVE_TIMEOUT_MS;
    while (!open.has(name) && open.size >= most) {
      await Promise.race(open.values()).catch(() => undefined);
      if (performance.now() >= latestMs) throw lookupTimeout(name);
    }
    const pending = open.get(name) ?? lookup(name).finally(() => open.delete(name));
    open.set(name, pending);
    return await pending;
  };
}

// The resolver of node:dns would not occupy a thread, but does not read /etc/hosts, which may name hosts of a local
// network.
export const resolveHost = limitLookups(async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address),
);

/** The parsed description if it contains a host name instead of an address; null also if it is invalid. */
export function sdpWithHostName(sdp: string, srtp: SrtpPolicy): CarrierSdp | null {
  if (sdp === '') return null;
  try {
    const remote = parseCarrierSdp(sdp, srtp);
    return isIP(remote.address) === 0 ? remote : null;
  } catch (error) {
    if (!(error instanceof SdpError)) throw error;
    return null;
  }
}

/**
 * Resolves the host name in a description. Throws UnresolvedHost, and SdpError if there are only IPv6 addresses and we
 * have none.
 */
export async function resolveHostName(
  remote: CarrierSdp,
  boundAddress: string,
  resolve: ResolveHost = resolveHost,
): Promise<CarrierSdp> {
  if (isIP(remote.address) === 0) {
    const addresses = await withTimeout(remote.address, resolve);
    const address = addresses.find((one) => isIP(one) === isIP(boundAddress)) ?? addresses[0];
    if (address === undefined) throw noSuchHost(remote.address);
    return resolveHostName({ ...remote, address }, boundAddress, resolve);
  }
  requireReachable(remote, boundAddress);
  return remote;
}

async function withTimeout(name: string, resolve: ResolveHost): Promise<readonly string[]> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(lookupTimeout(name)), RESOLVE_TIMEOUT_MS);
  try {
    return await Promise.race([resolve(name), late]);
  } catch (error) {
    if (error instanceof UnresolvedHost) throw error;
    // ENOTFOUND, and ENODATA of other resolvers: the name server responded that there is no such address.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTFOUND' || code === 'ENODATA') throw noSuchHost(name);
    throw new UnresolvedHost(`the SDP's host name ${name} could not be resolved`, 500);
  } finally {
    clearTimeout(timer);
  }
}

const lookupTimeout = (name: string) =>
  new UnresolvedHost(`the SDP's host name ${name} was not resolved in time`, 500);
const noSuchHost = (name: string) => new UnresolvedHost(`the SDP's host name ${name} has no address`, 488);
