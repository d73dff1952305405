/**
 * A JWT that the consumer's backend signs with one of its signing keys (docs/requirements.md#authentication): an agent token or a launch
 * token. This module checks what both have in common and needs only the token and the key.
 */
import { ApiError, unauthorized } from '@clarion/protocol';
import { storableText } from '@clarion/protocol/storable-text';
import { compactVerify, decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { JWTPayload } from 'jose';

/** Launch tokens are signed with the same keys. This audience keeps them from being accepted as agent tokens. */
export const DASHBOARD_AUDIENCE = 'clarion-dashboard';
const MAX_REF_CHARS = 191;
const MAX_NAME_CHARS = 255;
/** A token has a few hundred bytes. Longer input is rejected before it is parsed. */
const MAX_TOKEN_CHARS = 8_192;
/** Three parts in base64url, without padding or white space (RFC 7515, section 7.1). */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

export interface TokenKey {
  id: number;
  consumerId: number;
  /** The signing secret in the form that the consumer received. */
  secret: string;
}

/** Finds an active signing key by consumer slug and kid. */
export type FindTokenKey = (slug: string, kid: string) => Promise<TokenKey | null>;

export interface SignedToken {
  key: TokenKey;
  payload: JWTPayload;
  expiresAt: Date;
}

/** @throws ApiError unauthorized, naming the broken rule; it never reveals anything about keys */
export async function readSigned(token: string, findKey: FindTokenKey, now: Date): Promise<SignedToken> {
  const { slug, kid } = namesIn(token);
  const key = await findKey(slug, kid);
  // One message for an unknown consumer, an unknown key, a revoked key and a wrong signature, so that the response reveals none of them.
  if (!key) throw unauthorized(NOT_SIGNED);
  const payload = await verified(token, key.secret, slug, now);
  if (typeof payload.exp !== 'number') throw unauthorized('The token has no exp claim.');
  const expiresAt = new Date(payload.exp * 1000);
  if (Number.isNaN(expiresAt.getTime())) throw unauthorized("The token's exp claim is not a valid time.");
  return { key, payload, expiresAt };
}

/**
 * For a rejected token: whose key signed it, and its claims. The token may be old, used or meant for another purpose. Null if it is not
 * signed with a known key.
 */
export async function signerOf(
  token: string,
  findKey: FindTokenKey,
): Promise<{ key: TokenKey; claims: JWTPayload } | null> {
  try {
    const { slug, kid } = namesIn(token);
    const key = await findKey(slug, kid);
    if (!key) return null;
    await compactVerify(token, new TextEncoder().encode(key.secret), { algorithms: ['HS256'] });
    return { key, claims: decodeJwt(token) };
  } catch (error) {
    if (error instanceof ApiError || error instanceof errors.JOSEError) return null;
    throw error;
  }
}

export const NOT_SIGNED = 'The token is not signed with a valid key of this account.';

/** Selects the key. These claims are not verified yet and are used for nothing else. */
function namesIn(token: string): { slug: string; kid: string } {
  if (token.length > MAX_TOKEN_CHARS || !COMPACT.test(token)) throw unauthorized('The token is not a JWT.');
  let header: ReturnType<typeof decodeProtectedHeader>;
  let claims: ReturnType<typeof decodeJwt>;
  try {
    header = decodeProtectedHeader(token);
    claims = decodeJwt(token);
  } catch {
    throw unauthorized('The token is not a JWT.');
  }
  if (header.alg !== 'HS256') throw unauthorized('The token must be signed with HS256.');
  if (typeof header.kid !== 'string' || header.kid === '')
    throw unauthorized('The token has no kid in its header.');
  if (typeof claims.iss !== 'string' || claims.iss === '') throw unauthorized('The token has no iss claim.');
  // Both values are unverified input, so they are checked before the query.
  if (!isStorable(claims.iss) || !isStorable(header.kid)) throw unauthorized(NOT_SIGNED);
  return { slug: claims.iss, kid: header.kid };
}

async function verified(token: string, secret: string, slug: string, now: Date) {
  try {
    const { payload } = await jwtVerify(token, new TextEncoder().encode(secret), {
      algorithms: ['HS256'],
      issuer: slug,
      requiredClaims: ['exp', 'tnt', 'sub'],
      currentDate: now,
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw unauthorized('The token has expired.');
    if (error instanceof errors.JWTClaimValidationFailed) {
      throw unauthorized(
        error.reason === 'missing'
          ? `The token has no ${error.claim} claim.`
          : `The token's ${error.claim} claim is invalid.`,
      );
    }
    throw unauthorized(NOT_SIGNED);
  }
}

/** PostgreSQL text cannot contain NUL or unpaired surrogates. */
export const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed();

export function refIn(claim: unknown, name: string): string {
  const text = typeof claim === 'string' ? claim.trim() : '';
  if (text === '' || [...text].length > MAX_REF_CHARS || !isStorable(text)) {
    throw unauthorized(`The token's ${name} claim must be a string of 1 to ${MAX_REF_CHARS} characters.`);
  }
  return text;
}

export function nameIn(claim: unknown): string | null {
  if (claim === undefined || claim === null) return null;
  if (typeof claim !== 'string') throw unauthorized("The token's name claim must be a string.");
  return [...storableText(claim).trim()].slice(0, MAX_NAME_CHARS).join('').trim() || null;
}
