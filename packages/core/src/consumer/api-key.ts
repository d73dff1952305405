/**
 * API keys, `ck_<slug>_<secret>`: 256 random bits, looked up by the first characters of the secret and compared by SHA-256. The secret is
 * random, so a slow password hash would add nothing.
 */
import { hash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;
/** 48 bits: enough to be unique, too few to help guess the rest. */
const PREFIX_SECRET_CHARS = 8;
/** Slugs contain no underscore, so that a key splits in exactly one way. */
const API_KEY = /^ck_([a-z0-9][a-z0-9-]*)_([A-Za-z0-9_-]{43})$/;

export interface ReadApiKey {
  prefix: string;
  hash: Uint8Array<ArrayBuffer>;
}

/** The whole key is returned once, here; the row stores `prefix` and `hash`. */
export function newApiKey(slug: string): ReadApiKey & { key: string } {
  const key = `ck_${slug}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  const read = readApiKey(key);
  if (!read) throw new Error(`cannot create an API key for the slug ${slug}`);
  return { key, ...read };
}

/** Null if the text is not in the format of a key. */
export function readApiKey(key: string): ReadApiKey | null {
  const [, slug, secret] = API_KEY.exec(key) ?? [];
  if (slug === undefined || secret === undefined) return null;
  return {
    prefix: `ck_${slug}_${secret.slice(0, PREFIX_SECRET_CHARS)}`,
    hash: Uint8Array.from(hash('sha256', key, 'buffer')),
  };
}
