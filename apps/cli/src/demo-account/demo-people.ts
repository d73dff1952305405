/** The demo account's dashboard users. */
import { randomInt } from 'node:crypto';
import type { Ctx } from '@clarion/core/context';
import { createStaff } from '@clarion/core/staff/create-staff';
import { hashPassword, isPassword } from '@clarion/core/staff/password';
import { demo } from '@clarion/core/demo-account';

/** Letters and digits that are not mistaken for one another. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 4;
const GROUP_CHARS = 4;

/** @returns the current password; for users who have changed theirs since, the stored one */
export async function demoPeople(ctx: Ctx, kept: string | null): Promise<string> {
  const password = kept ?? newPassword();
  for (const { email, name, role } of demo.people) {
    const found = await ctx.db.staffUser.findUnique({ where: { email } });
    if (!found) {
      await createStaff(ctx, { email, name, role, password });
      continue;
    }
    const isTheirOwn = found.passwordChangedAt?.getTime() !== found.createdAt.getTime();
    if (isTheirOwn || (await isPassword(found.passwordHash, password))) continue;
    // The demo file was lost or belongs to another database.
    await ctx.db.staffUser.update({
      where: { id: found.id },
      data: { passwordHash: await hashPassword(password), failedSignIns: 0, lockedUntil: null },
    });
  }
  return password;
}

const newPassword = (): string =>
  Array.from({ length: GROUPS }, () =>
    Array.from({ length: GROUP_CHARS }, () => LETTERS[randomInt(LETTERS.length)]).join(''),
  ).join('-');
