/** Recovery codes for a lost phone: each works once, and only their hashes are stored. */
import { createHash, randomInt } from 'node:crypto';
import type { Ctx } from '../context.ts';
import { RECOVERY_CODES } from './staff-limits.ts';

/**
 * Without letters and digits that look alike. 10 of 30 characters are 49 bits, against an attacker who has the password and a few attempts.
 */
const LETTERS = 'abcdefghjkmnpqrstvwxyz23456789';
const HALF_CHARS = 5;

const half = (): string =>
  Array.from({ length: HALF_CHARS }, () => LETTERS[randomInt(LETTERS.length)]).join('');

const hashOf = (code: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    createHash('sha256')
      .update(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))
      .digest(),
  );

/** Replaces the existing codes. @returns the new codes, which are not stored in plain text */
export async function newRecoveryCodes({ db }: Pick<Ctx, 'db'>, staffUserId: number): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => `${half()}-${half()}`);
  await db.staffRecoveryCode.deleteMany({ where: { staffUserId } });
  await db.staffRecoveryCode.createMany({ data: codes.map((code) => ({ staffUserId, hash: hashOf(code) })) });
  return codes;
}

/** False if it is not one of the person's codes, or was used. */
export async function useRecoveryCode(
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  staffUserId: number,
  code: string,
): Promise<boolean> {
  const { count } = await db.staffRecoveryCode.updateMany({
    where: { staffUserId, hash: hashOf(code), usedAt: null },
    data: { usedAt: now },
  });
  return count === 1;
}
