/**
 * All requests to addresses given by a consumer or by a setting go through here: webhooks, the lookup hook, trunk hosts, WhatsApp's Graph
 * API, push services. This prevents a consumer from reaching our own network (SSRF). A URL's host is checked as parsed by the WHATWG parser, which normalises unusual notations of addresses.
 * A name is resolved when connecting, every returned address is checked, and the socket connects to the checked address, so that a DNS
 * answer that changes has no effect. Redirects are never followed.
 */
import { lookup, Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { isIPv6 } from 'node:net';
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { dispatchOnce } from './dispatch-once.ts';
import { isPublicAddress, literalAddress } from './public-address.ts';

/** Resolves a name to addresses; throws if there are none. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** How a connection is made: the addresses of a name, and trusted certificates. */
export interface ConnectorOptions {
  allowH2: false;
  lookup: LookupFunction;
  ca?: string;
}

export interface EgressOptions {
  /** Development only: allows private addresses and plain http. */
  allowPrivate: boolean;
  resolve?: Resolve;
  /** Creates the connection after all checks; undici's own connector if omitted. */
  connectorOf?: (options: ConnectorOptions) => buildConnector.connector;
  /** PEM certificates to trust in addition to the system's. */
  ca?: string;
}

/** A destination inside our own network, or one that could be. The message may be shown to the consumer. */
export class EgressRefused extends Error {
  constructor(message = 'The IP address is not public.') {
    super(message);
    this.name = 'EgressRefused';
  }
}

export interface EgressRequest {
  headers: Record<string, string>;
  body: string;
  /** Timeout for everything: DNS lookup, connection, request and the whole response. */
  timeoutMs: number;
  /** How many bytes of the response body are kept. */
  maxBodyBytes: number;
}

/** Any request of a JSON API. */
export interface EgressExchange extends Omit<EgressRequest, 'body'> {
  method: 'GET' | 'POST';
  /** Null: no body. */
  body: string | Uint8Array | null;
}

export interface EgressResponse {
  status: number;
  /** The beginning of the response body. */
  text: string;
  /** The Retry-After header. */
  retryAfter?: string;
}

export interface Egress {
  /** POSTs JSON. Throws EgressRefused, or the error of the connection, the timeout or the invalid response. */
  post(url: string, options: EgressRequest): Promise<EgressResponse>;
  /** As `post`, with a method. */
  exchange(url: string, options: EgressExchange): Promise<EgressResponse>;
  close(): Promise<void>;
}

/** A name server that does not answer within this time is queried once more. */
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;

/**
 * Resolves names without Node's thread pool, which a few silent name servers could fill, blocking every other lookup.
 *
 * @param servers `address:port`; the system's if omitted
 */
export const publicResolver =
  (servers?: readonly string[]): Resolve =>
  async (hostname) => {
    const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
    if (servers) resolver.setServers(servers);
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw answers.find((answer) => answer.status === 'rejected')?.reason;
    return addresses;
  };
export const resolvePublicName = publicResolver();

/** Development: the host's own names (localhost, /etc/hosts) are resolved too. */
const resolveLocalName: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

export function createEgress({ allowPrivate, resolve, connectorOf, ca }: EgressOptions): Egress {
  const connector = (connectorOf ?? buildConnector)({
    allowH2: false,
    lookup: checkedLookup({ allowPrivate, resolve }),
    ...(ca !== undefined && { ca }),
  });
  const agent = new Agent({
    allowH2: false,
    connect(options, callback) {
      // Node does not call the lookup if the host is an address, so that is checked here.
      const literal = literalAddress(options.hostname);
      if (literal !== null && !allowPrivate && !isPublicAddress(literal)) callback(new EgressRefused(), null);
      else connector(options, callback);
    },
  });
  const exchange = async (url: string, request: EgressExchange) =>
    dispatchOnce(agent, checkedUrl(url, allowPrivate), request);
  return {
    exchange,
    post: (url, request) => exchange(url, { ...request, method: 'POST' }),
    close: () => agent.destroy(),
  };
}

/**
 * Rejects a URL that can never be reached from here: not https, or a private address in any notation. Names are not resolved.
 *
 * @throws EgressRefused with a message for whoever provided the URL
 */
export function checkedUrl(text: string, allowPrivate: boolean): URL {
  const url = URL.parse(text);
  if (!url) throw new EgressRefused('This is not a valid URL.');
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    throw new EgressRefused('The URL must start with https://.');
  if (url.username !== '' || url.password !== '')
    throw new EgressRefused('The URL must not contain a user name or password.');
  const literal = literalAddress(url.hostname);
  if (literal !== null && !allowPrivate && !isPublicAddress(literal)) throw new EgressRefused();
  return url;
}

/** A single address that is not public rejects the name: it is misconfigured or hostile. */
export async function checkedAddresses(
  hostname: string,
  resolve: Resolve,
  allowPrivate: boolean,
): Promise<string[]> {
  const addresses = await resolve(hostname);
  if (!allowPrivate && !addresses.every(isPublicAddress))
    throw new EgressRefused('The host name resolves to an IP address that is not public.');
  return addresses;
}

/** Node does not call it if the host is an address: `checkedUrl` or `literalAddress` checks that. */
export function checkedLookup({
  allowPrivate,
  resolve,
}: Pick<EgressOptions, 'allowPrivate'> & { resolve: Resolve | undefined }): LookupFunction {
  const resolveName = resolve ?? (allowPrivate ? resolveLocalName : resolvePublicName);
  return (hostname, options, callback) => {
    checkedAddresses(hostname, resolveName, allowPrivate).then(
      (addresses) => {
        const all: LookupAddress[] = addresses.map((address) => ({
          address,
          family: isIPv6(address) ? 6 : 4,
        }));
        const [first] = all;
        if (options.all) callback(null, all);
        else if (first) callback(null, first.address, first.family);
        else callback(new Error('The host name does not resolve to an IP address.'), '');
      },
      (error: Error) => callback(error, ''),
    );
  };
}
