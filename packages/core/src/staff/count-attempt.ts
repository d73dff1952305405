/**
 * Counts a sign-in attempt before anything is checked, so that neither a crash nor concurrent attempts gain extra ones. After `FREE_ATTEMPTS`
 * failures in a row the account is locked for a time that doubles with each further one. Anyone who knows the address can cause that lock,
 * so a person who has just set a password with a link signs in without this count (sign-in-after-link.ts).
 */
import type { StaffUser, Tx } from '@clarion/db';
import { FREE_ATTEMPTS, LOCK_FIRST_MS, LOCK_MAX_MS } from './staff-limits.ts';

export interface CountedAttempt {
  /** Failed attempts in a row, including this one. */
  tries: number;
  /** Until when further attempts are rejected; null while some are left. */
  lockedUntil: Date | null;
  /** Takes back the count of an attempt that was not a wrong guess, without resetting the counter. */
  undo(db: Tx): Promise<void>;
}

/** Null if the person may not try now. */
export async function countAttempt(
  { db, now }: { db: Tx; now: Date },
  { id, passwordHash, disabledAt }: StaffUser,
): Promise<CountedAttempt | null> {
  if (passwordHash === null || disabledAt) return null;
  const [counted] = await db.$queryRaw<{ failedSignIns: number; lockedUntil: Date | null }[]>`
    update "StaffUser" set
      "failedSignIns" = "failedSignIns" + 1,
      "lockedUntil" = case when "failedSignIns" + 1 >= ${FREE_ATTEMPTS}
        then ${now}::timestamptz + least(${LOCK_MAX_MS}::float8,
          ${LOCK_FIRST_MS}::float8 * power(2, least("failedSignIns" + 1 - ${FREE_ATTEMPTS}, 20))) * interval '1 millisecond'
        end
    where "id" = ${id} and ("lockedUntil" is null or "lockedUntil" <= ${now}::timestamptz)
    returning "failedSignIns", "lockedUntil"`;
  if (!counted) return null;
  const { failedSignIns: tries, lockedUntil } = counted;
  return {
    tries,
    lockedUntil,
    async undo(tx) {
      // Only the lock that this attempt set is lifted; a concurrent one stays.
      await tx.$executeRaw`
        update "StaffUser" set
          "failedSignIns" = case when "failedSignIns" > 0 then "failedSignIns" - 1 else "failedSignIns" end,
          "lockedUntil" = case when "lockedUntil" = ${lockedUntil}::timestamptz then null else "lockedUntil" end
        where "id" = ${id}`;
    },
  };
}
