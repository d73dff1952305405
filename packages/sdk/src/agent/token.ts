import { ClarionError } from './errors.ts';

export type GetToken = () => string | Promise<string>;

/** A new socket is opened with a fresh token this long before the current token expires. */
export const REFRESH_BEFORE_EXPIRY_MS = 30_000;
/** The minimum time between refreshes, however short the lifetime of a token. */
export const MIN_REFRESH_MS = 5_000;
/** The longest time of a timer. A token that is valid for longer is replaced early. */
export const MAX_REFRESH_MS = 2 ** 31 - 1;

interface TokenClaims {
  iss?: unknown;
  tnt?: unknown;
  sub?: unknown;
  iat?: unknown;
  exp?: unknown;
}

export async function fetchToken(getToken: GetToken): Promise<string> {
  let token: unknown;
  try {
    token = await getToken();
  } catch (cause) {
    throw new ClarionError('token_failed', 'getToken failed.', { cause });
  }
  if (typeof token !== 'string' || token === '')
    throw new ClarionError('token_failed', 'getToken returned no token.');
  return token;
}

/** Decodes a token without verifying it; only the service can. */
function claimsOf(token: string): TokenClaims {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    // Not TextDecoder, which React Native does not have.
    const escaped = atob(payload).replaceAll(
      /[^]/g,
      (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
    const claims: unknown = JSON.parse(decodeURIComponent(escaped));
    return typeof claims === 'object' && claims !== null ? claims : {};
  } catch {
    return {};
  }
}

/** Identifies the agent of a token, so that tabs of the same agent find each other; null if it cannot be decoded. */
export function tokenSubject(token: string): string | null {
  const { iss, tnt, sub } = claimsOf(token);
  return typeof sub === 'string' ? JSON.stringify([iss ?? null, tnt ?? null, sub]) : null;
}

/**
 * How long until the token must be replaced. Calculated from its lifetime and not from the local clock, which may be wrong by
 * minutes. Null if the token does not contain its lifetime.
 */
export function refreshDelayMs(token: string, nowMs: number): number | null {
  const { iat, exp } = claimsOf(token);
  if (typeof exp !== 'number') return null;
  const lifetimeMs = exp * 1000 - (typeof iat === 'number' ? iat * 1000 : nowMs);
  const wantedMs = Math.max(lifetimeMs - REFRESH_BEFORE_EXPIRY_MS, lifetimeMs / 2, MIN_REFRESH_MS);
  return Math.min(wantedMs, MAX_REFRESH_MS);
}
