/** The row of the signed-in person, and re-authentication before a sensitive change. */
import type { StaffUser } from '@clarion/db';
import { ApiError, invalidField } from '@clarion/protocol';
import type { Ctx } from '../context.ts';
import { staffIdOf } from '../session/signed-in.ts';
import { countAttempt } from './count-attempt.ts';
import { isPassword } from './password.ts';

/** @throws forbidden for an API key and for a launched person */
export const selfOf = (ctx: Ctx): Promise<StaffUser> =>
  ctx.db.staffUser.findUniqueOrThrow({ where: { id: staffIdOf(ctx) } });

interface Proof {
  password: string;
  /** The name of the password's field; default `password`. */
  field?: string;
  /** A further check; throws if it fails. */
  alsoRight?: () => Promise<void>;
}

/** A failure counts as a failed sign-in attempt. @throws 400 on `field`, too_soon after too many */
export async function assertSelf(
  ctx: Ctx,
  person: StaffUser,
  { password, field = 'password', alsoRight }: Proof,
): Promise<void> {
  const counted = await countAttempt(ctx, person);
  if (!counted) {
    throw new ApiError('too_soon', {
      message: 'Too many failed attempts. Wait a few minutes, or reset your password by email.',
    });
  }
  if (!(await isPassword(person.passwordHash, password))) {
    throw invalidField(field, 'Wrong password.');
  }
  await alsoRight?.();
  await counted.undo(ctx.db);
}
