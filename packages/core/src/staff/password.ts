/**
 * Passwords: argon2id with the parameters of OWASP's password storage cheat sheet. Verification takes the same time whether or not the
 * person exists.
 */
import { hash, verify } from '@node-rs/argon2';
import type { Options } from '@node-rs/argon2';
import { invalidField } from '@clarion/protocol';

/** `Algorithm.Argon2id`: the package declares a const enum, which cannot be imported by type stripping. */
const ARGON2ID = 2;
const COST: Options = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const PASSWORD_MIN_CHARS = 12;
export const PASSWORD_MAX_CHARS = 200;

export const hashPassword = (password: string): Promise<string> => hash(password.normalize('NFC'), COST);

let dummy: Promise<string> | undefined;

/** Takes the same time without a hash (null). */
export async function isPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const given = password.slice(0, PASSWORD_MAX_CHARS).normalize('NFC');
  const right = await verify(passwordHash ?? (await (dummy ??= hashPassword('nobody'))), given);
  return right && passwordHash !== null;
}

/** Common passwords and their beginnings. */
const TOO_COMMON = [
  'password',
  'qwerty',
  'letmein',
  'welcome',
  'iloveyou',
  'admin',
  'clarion',
  '123456',
  'abc123',
];

/** @throws 400 on `field`, with a suggestion */
export function assertGoodPassword(
  password: string,
  about: { email: string; name: string },
  field = 'password',
): void {
  const { length } = [...password];
  if (length < PASSWORD_MIN_CHARS) {
    throw invalidField(
      field,
      `Use at least ${PASSWORD_MIN_CHARS} characters. A phrase of four unrelated words is strong and easy to remember.`,
    );
  }
  if (password.length > PASSWORD_MAX_CHARS)
    throw invalidField(field, `Use at most ${PASSWORD_MAX_CHARS} characters.`);
  const plain = password.toLowerCase();
  const known = [
    ...TOO_COMMON,
    ...about.email.split(/[@.]/),
    ...about.name.toLowerCase().split(/\s+/),
  ].filter((word) => word.length > 3);
  // What remains without easily guessed words must be strong enough by itself.
  const left = known.reduce((text, word) => text.replaceAll(word, ''), plain);
  if (new Set(left).size < MIN_DIFFERENT_CHARS) {
    throw invalidField(field, 'This password is too easy to guess. Use words that are not related to you.');
  }
}
const MIN_DIFFERENT_CHARS = 5;
