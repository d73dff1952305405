/**
 * The session cookie: the session's secret, encrypted with a key that is derived from the master key for this purpose. It contains
 * nothing else, so that the database alone determines the session.
 */
import type { SecretBox } from '@clarion/core/security/secret-box';
import type { Env } from '../../env.ts';

type Addresses = Pick<Env, 'CLARION_APP_URL' | 'CLARION_BASE_URL'>;

/** Where users open the dashboard. */
export const appUrl = ({ CLARION_APP_URL, CLARION_BASE_URL }: Addresses): string =>
  CLARION_APP_URL ?? CLARION_BASE_URL;

export const isSecure = (env: Addresses): boolean => appUrl(env).startsWith('https://');

/** The prefix makes browsers reject the cookie over plain http, with a Domain or with another Path (RFC 6265bis, 4.1.3.2). */
export const cookieName = (env: Addresses, name = 'clarion-session'): string =>
  isSecure(env) ? `__Host-${name}` : name;

export const cookieOptions = (env: Addresses) =>
  ({ httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure(env) }) as const;

export const sealSession = (secrets: SecretBox, secret: string): string =>
  secrets.seal('dashboard-session', secret);

/** Null when it was not encrypted with one of our keys. */
export function openSealed(secrets: SecretBox, sealed: string): string | null {
  try {
    return secrets.open('dashboard-session', sealed);
  } catch {
    return null; // forged, or encrypted under a master key that is no longer configured
  }
}

/** The value of a cookie in a Cookie header (RFC 6265, section 4.2.1). */
export function readCookie(header: string | null, name: string): string | null {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}
