/** Creates an account's first dashboard users. Without a password they get a link to set one. */
import type { StaffRole, StaffUser } from '@clarion/db';
import { ApiError } from '@clarion/protocol';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { violatedConstraint } from '../violated-constraint.ts';
import { readEmail } from './email.ts';
import { assertGoodPassword, hashPassword } from './password.ts';
import { newTicket } from './tickets.ts';

export interface NewStaff {
  email: string;
  name: string;
  role: StaffRole;
  /** Null: set with the invitation. */
  password: string | null;
}

export interface CreatedStaff {
  user: StaffUser;
  /** The secret of the invitation link; null if there is a password. */
  invitation: string | null;
}

/** @throws 400 on email or password; 409 exists: an email address has one dashboard account in the whole installation */
export async function createStaff(
  ctx: Ctx,
  { email, name, role, password }: NewStaff,
): Promise<CreatedStaff> {
  const address = readEmail(email);
  if (password !== null) assertGoodPassword(password, { email: address, name });
  const passwordHash = password === null ? null : await hashPassword(password);
  try {
    return await inTransaction(ctx, async (inner) => {
      const { db, consumer, now } = inner;
      const user = await db.staffUser.create({
        data: {
          consumerId: consumer.id,
          email: address,
          name: name.trim(),
          role,
          passwordHash,
          passwordChangedAt: passwordHash === null ? null : now,
          createdAt: now,
        },
      });
      await audit(inner, { action: 'staff.create', target: address, details: { name: user.name, role } });
      const invitation = password === null ? await newTicket(inner, user.id, 'INVITATION') : null;
      return { user, invitation };
    });
  } catch (error) {
    if (violatedConstraint(error) === 'StaffUser_email_key') {
      throw new ApiError('exists', {
        message: 'An account with this email address already exists.',
        details: { field: 'email' },
      });
    }
    throw error;
  }
}
