/**
 * Host names in `c=` (RFC 4566 §5.7 allows them, and some carriers use them). A name is looked up once per description, for a bounded time,
 * and only addresses of the families our sockets can reach count.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { parseCarrierSdp, requireReachable, SdpError, type CarrierSdp } from './carrier.ts';

/** The caller waits for this; a working name server answers sooner. */
export const RESOLVE_TIMEOUT_MS = 2_000;

/**
 * Of libuv's four threads, which read and write files too: a name server that does not answer keeps a thread much longer than our caller
 * waits.
 */
export const MAX_CONCURRENT_LOOKUPS = 2;

/** Addresses of a name. Throws when there are none. */
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

/** At most so many look-ups at once, one per name. A name that must wait longer than its caller does is not looked up. */
export function limitLookups(lookup: ResolveHost, most = MAX_CONCURRENT_LOOKUPS): ResolveHost {
  const open = new Map<string, Promise<readonly string[]>>();
  return async (name) => {
    const latestMs = performance.now() + RESOLVE_TIMEOUT_MS;
    while (!open.has(name) && open.size >= most) {
      await Promise.race(open.values()).catch(() => undefined);
      if (performance.now() >= latestMs) throw lookupTimeout(name);
    }
    const asked = open.get(name) ?? lookup(name).finally(() => open.delete(name));
    open.set(name, asked);
    return await asked;
  };
}

// Not node:dns's resolver, which frees its socket but does not read /etc/hosts: hosts of a local network are named there.
export const resolveHost = limitLookups(async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address),
);

/** The description, when it names a host instead of an address; null for one that cannot be used anyway. */
export function sdpWithHostName(sdp: string): CarrierSdp | null {
  if (sdp === '') return null;
  try {
    const remote = parseCarrierSdp(sdp);
    return isIP(remote.address) === 0 ? remote : null;
  } catch (error) {
    if (!(error instanceof SdpError)) throw error;
    return null;
  }
}

/** The description with its host name resolved. Throws UnresolvedHost, and SdpError when there is only IPv6 and we have none. */
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
    // ENOTFOUND, and ENODATA of other resolvers: the name server has answered that there is no such address.
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
