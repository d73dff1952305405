/**
 * Whether a request was sent to a name of this service. A page of another site can have its own name resolve to this machine (DNS
 * rebinding): its requests are of the same origin then, and only their Host tells.
 */
import type { Env } from '../../env.ts';

/** Names that no site can have (RFC 6761 section 6.3), whatever port leads here: a tunnel's may be another one. */
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
