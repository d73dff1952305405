/**
 * The session's cookie: its secret, sealed under a key of its own purpose that comes from the master key. Nothing else is in it,
 * so that a session is what the database says of it and no more.
 */
import type { SecretBox } from '@clarion/core/security/secret-box';
import type { Env } from '../../env.ts';

type Addresses = Pick<Env, 'CLARION_APP_URL' | 'CLARION_BASE_URL'>;

/** Where people reach the dashboard. */
export const appUrl = ({ CLARION_APP_URL, CLARION_BASE_URL }: Addresses): string =>
  CLARION_APP_URL ?? CLARION_BASE_URL;

export const isSecure = (env: Addresses): boolean => appUrl(env).startsWith('https://');

/** The prefix makes browsers refuse it from plain http, from a subdomain and for a part of the site only (RFC 6265bis, 4.1.3.2). */
export const cookieName = (env: Addresses, name = 'clarion-session'): string =>
  isSecure(env) ? `__Host-${name}` : name;

export const cookieOptions = (env: Addresses) =>
  ({ httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure(env) }) as const;

export const sealSession = (secrets: SecretBox, secret: string): string =>
  secrets.seal('dashboard-session', secret);

/** Null when it was not sealed here. */
export function openSealed(secrets: SecretBox, sealed: string): string | null {
  try {
    return secrets.open('dashboard-session', sealed);
  } catch {
    return null; // somebody's invention, or sealed under a master key that is no longer listed
  }
}

/** What a Cookie header says under a name (RFC 6265, section 4.2.1). */
export function readCookie(header: string | null, name: string): string | null {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}
