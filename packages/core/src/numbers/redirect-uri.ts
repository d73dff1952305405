/** Where a call filter redirects a call to (docs/requirements.md#trunks). Pure. */
import type { TechPrefixes } from '@clarion/protocol';

export interface RedirectTarget {
  techPrefixes: TechPrefixes | null;
  /** Of the trunk, or that of the INVITE's Contact. */
  hostPort: string;
  /** That of the INVITE. */
  transport: 'UDP' | 'TCP' | 'TLS';
}

/**
 * The URI for Contact of a 302: the number with the trunk's redirect prefix in place of the one it came with. `#` must be escaped
 * (RFC 3261 section 25.1).
 *
 * @param rest what followed the prefix
 */
export function redirectUri(rest: string, { techPrefixes, hostPort, transport }: RedirectTarget): string {
  const user = `${techPrefixes?.redirect ?? ''}${rest}`.replaceAll('#', '%23');
  const parameter = transport === 'UDP' ? '' : `;transport=${transport.toLowerCase()}`;
  return `sip:${user}@${hostPort}${parameter}`;
}

const HOST_PORT = /^(\[[\da-f:.]+\]|[a-z\d](?:[a-z\d.-]*[a-z\d])?)(?::\d{1,5})?$/i;

/** The host of `host:port`, without brackets and in lower case; null if it is not one. */
export const hostOf = (hostPort: string): string | null =>
  HOST_PORT.exec(hostPort)?.[1]
    ?.replace(/^\[(.*)\]$/, '$1')
    .toLowerCase() ?? null;

const DEFAULT_PORT = 5060;

export function hostPortOf({ host, port }: { host: string; port: number }): string {
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return port === DEFAULT_PORT ? name : `${name}:${port}`;
}
