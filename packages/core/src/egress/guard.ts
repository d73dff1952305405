/**
 * The only way from here to an address that a consumer gave us: webhooks, the lookup hook, trunk hosts. It keeps a consumer
 * from reaching our own network through us (SSRF). A URL's host is checked as the WHATWG parser reads it, which undoes every
 * odd notation of an address; a name is looked up when the connection is made, every address of the answer is checked, and
 * the socket connects to the checked address, so that a name that changes its answer gains nothing. Redirects are never followed.
 */
import { lookup, Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { isIPv6 } from 'node:net';
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { dispatchOnce } from './dispatch-once.ts';
import { isPublicAddress, literalAddress } from './public-address.ts';

/** Addresses of a name; throws when there is none. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** How a connection is made: to which addresses of a name, and whom to trust. */
export interface ConnectorOptions {
  allowH2: false;
  lookup: LookupFunction;
  ca?: string;
}

export interface EgressOptions {
  /** Development only: private addresses and plain http may be reached. */
  allowPrivate: boolean;
  resolve?: Resolve;
  /** What makes the connection after all checks; undici's own when omitted. */
  connectorOf?: (options: ConnectorOptions) => buildConnector.connector;
  /** PEM certificates to trust besides the system's. */
  ca?: string;
}

/** A destination inside our own network, or one that could be. Its text may be shown to the consumer. */
export class EgressRefused extends Error {
  constructor(message = 'The IP address is not public.') {
    super(message);
    this.name = 'EgressRefused';
  }
}

export interface EgressRequest {
  headers: Record<string, string>;
  body: string;
  /** For everything: look-up, connection, request and the whole answer. */
  timeoutMs: number;
  /** How much of the answer's body is kept. */
  maxBodyBytes: number;
}

export interface EgressResponse {
  status: number;
  /** The beginning of the answer's body. */
  text: string;
}

export interface Egress {
  /** POSTs JSON. Throws EgressRefused, or the error of the connection, the time-out or the broken answer. */
  post(url: string, options: EgressRequest): Promise<EgressResponse>;
  close(): Promise<void>;
}

/** A name server that does not answer in this time is asked once more. */
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;

/**
 * Asks DNS without Node's thread pool, which a few silent name servers could fill and so stop every other look-up.
 *
 * @param servers `address:port`; the system's when omitted
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

/** Development: the machine's own names (localhost, /etc/hosts) count too. */
const resolveLocalName: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

export function createEgress({ allowPrivate, resolve, connectorOf, ca }: EgressOptions): Egress {
  const resolveName = resolve ?? (allowPrivate ? resolveLocalName : resolvePublicName);
  const connector = (connectorOf ?? buildConnector)({
    allowH2: false,
    lookup: checkedLookup(resolveName, allowPrivate),
    ...(ca !== undefined && { ca }),
  });
  const agent = new Agent({
    allowH2: false,
    connect(options, callback) {
      // Node looks nothing up when the host is an address: the lookup above never sees one.
      const literal = literalAddress(options.hostname);
      if (literal !== null && !allowPrivate && !isPublicAddress(literal)) callback(new EgressRefused(), null);
      else connector(options, callback);
    },
  });
  return {
    async post(url, request) {
      return dispatchOnce(agent, checkedUrl(url, allowPrivate), request);
    },
    close: () => agent.destroy(),
  };
}

/**
 * Refuses a URL that can never be reached from here: not https, a private address in any notation. A name is not looked up.
 *
 * @throws EgressRefused with a sentence for whoever gave the URL
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

/** One address that is not public spoils the whole answer: such a name is misconfigured or hostile. */
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

function checkedLookup(resolve: Resolve, allowPrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    checkedAddresses(hostname, resolve, allowPrivate).then(
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
