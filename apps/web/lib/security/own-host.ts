/**
 * Whether a request was sent to a host name of this service. Another site can make its own name resolve to this machine (DNS
 * rebinding): its requests are then same-origin, and only the Host header reveals it.
 */
import type { Env } from '../../env.ts';

/** Names that no site can have (RFC 6761 section 6.3). Any port is accepted, because a tunnel may use another one. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

export function isOwnHost(
  host: string | null,
  { CLARION_BASE_URL, CLARION_APP_URL = CLARION_BASE_URL }: Pick<Env, 'CLARION_BASE_URL' | 'CLARION_APP_URL'>,
): boolean {
  if (host === null || !URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  if (LOOPBACK.has(hostname)) return true;
  return [CLARION_BASE_URL, CLARION_APP_URL].some((address) => new URL(address).hostname === hostname);
}
