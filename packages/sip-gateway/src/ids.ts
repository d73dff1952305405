/**
 * Random identifiers for tags, branches and Call-IDs: unpredictable and cheap (one call to the random pool per few
 * hundred IDs).
 */
import { randomBytes, randomUUID } from 'node:crypto';

const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefgh';
const ID_LENGTH = 16;
const POOL_BYTES = 4096;

let pool = randomBytes(POOL_BYTES);
let used = 0;

/** 16 characters of 5 random bits each. */
export function randomId(): string {
  if (used + ID_LENGTH > POOL_BYTES) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  let id = '';
  for (let i = 0; i < ID_LENGTH; i++) id += ALPHABET.charAt((pool[used + i] ?? 0) & 31);
  used += ID_LENGTH;
  return id;
}

export { randomUUID };

const FIRST_CSEQ = 1_000_000;

/** First CSeq of a new dialog: random, and far below 2**31 so that it never wraps (RFC 3261 §8.1.1.5). */
export function randomCSeq(): number {
  return FIRST_CSEQ + (randomBytes(3).readUIntBE(0, 3) & 0x7fffff);
}
