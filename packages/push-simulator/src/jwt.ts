/** Verifies JWTs with Node's own cryptography. */
import { verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

export interface Jwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  isSignedBy(key: KeyObject): boolean;
}

/** Null: not a JWT with this algorithm. */
export function readJwt(text: string, algorithm: 'ES256' | 'RS256'): Jwt | null {
  const [header, claims, signature, more] = text.split('.');
  if (!header || !claims || !signature || more !== undefined) return null;
  const read = { header: jsonObject(header), claims: jsonObject(claims) };
  if (!read.header || !read.claims || read.header['alg'] !== algorithm) return null;
  return {
    header: read.header,
    claims: read.claims,
    isSignedBy: (key) =>
      verify(
        'sha256',
        Buffer.from(`${header}.${claims}`),
        algorithm === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' } : key,
        Buffer.from(signature, 'base64url'),
      ),
  };
}

function jsonObject(base64url: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(base64url, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
