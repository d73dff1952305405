/** Checks that a request with a session cookie was made by a page of ours and not by another site in the same browser. */
import { ApiError } from '@clarion/protocol';
import type { Env } from '../../env.ts';
import { SESSION_HEADER } from './session-header.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Where a browser says that a request comes from (Fetch Metadata, section 2.2); `none` means that the user started it. */
const OWN_SITES = new Set(['same-origin', 'none']);

/** @throws forbidden */
export function assertSameOrigin(
  { headers }: Request,
  env: Pick<Env, 'CLARION_APP_URL' | 'CLARION_BASE_URL'>,
): void {
  const site = headers.get('sec-fetch-site');
  const own =
    headers.has(SESSION_HEADER) &&
    isOurs(headers.get('origin'), [env.CLARION_BASE_URL, env.CLARION_APP_URL ?? env.CLARION_BASE_URL]) &&
    (site === null || OWN_SITES.has(site));
  if (!own)
    throw new ApiError('forbidden', { message: 'This request did not come from a page of the dashboard.' });
}

/** The loopback names count as one host: 127.0.0.1 is printed and users type localhost. */
function isOurs(origin: string | null, ours: readonly string[]): boolean {
  if (origin === null) return true;
  if (!URL.canParse(origin)) return false;
  const theirs = new URL(origin);
  return ours.some((address) => {
    const own = new URL(address);
    if (theirs.origin === own.origin) return true;
    const isLocal = LOOPBACK.has(theirs.hostname) && LOOPBACK.has(own.hostname);
    return isLocal && theirs.port === own.port && theirs.protocol === own.protocol;
  });
}
