/** The codes of an authenticator app: RFC 6238 with SHA-1, six digits and 30 seconds, implemented only with Node's crypto. */
import { createHmac } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_MS = 30_000;
const COUNTER_BYTES = 8;
const DIGITS = 6;

/** Base32 without padding (RFC 4648, section 6). */
function bytesOf(secret: string): Buffer {
  const bits = [...secret.replaceAll(/\s/g, '').toUpperCase()]
    .map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code at a time in milliseconds since the epoch. */
export function totpCode(secret: string, at: number = Date.now()): string {
  const counter = Buffer.alloc(COUNTER_BYTES);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / STEP_MS)));
  const mac = createHmac('sha1', bytesOf(secret)).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number).slice(-DIGITS).padStart(DIGITS, '0');
}
