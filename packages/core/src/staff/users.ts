/** The account's people, as its owners look after them. An account always keeps an owner who can sign in. */
import type { StaffUser } from '@clarion/db';
import { ApiError, notFound } from '@clarion/protocol';
import type { CreateUser, PatchUser, UserResource } from '@clarion/protocol/v1/account/users';
import { audit, dashboardUrl, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { invitationMail, twoFactorResetMail } from '../mail/texts.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { endSessionsOf } from '../session/end-sessions.ts';
import { sessionOf } from '../session/signed-in.ts';
import { createStaff } from './create-staff.ts';
import { lockPerson } from './lock-person.ts';
import { presentUser } from './present.ts';
import { newTicket, ticketLink } from './tickets.ts';
import { removeTwoFactor } from './two-factor.ts';

export async function listUsers({ db, consumer }: Ctx): Promise<UserResource[]> {
  const rows = await db.staffUser.findMany({
    where: { consumerId: consumer.id },
    orderBy: { id: 'asc' },
  });
  return rows.map(presentUser);
}

/** The only way to a person: another account's is not found. */
async function userOf({ db, consumer }: Ctx, userId: number): Promise<StaffUser> {
  const user = await db.staffUser.findFirst({ where: { id: userId, consumerId: consumer.id } });
  if (!user) throw notFound('The user');
  return user;
}

/** Makes a person and mails them an invitation. @throws 400 on `email`, 409 exists */
export async function inviteUser(ctx: Ctx, input: CreateUser): Promise<UserResource> {
  return inTransaction(ctx, async (inner) => {
    const { email, name, role, twoFactorRequired } = input;
    const { user, invitation } = await createStaff(inner, { email, name, role, password: null });
    await mailInvitation(inner, user, invitation ?? '');
    if (!twoFactorRequired) return presentUser(user);
    const where = { id: user.id };
    return presentUser(await inner.db.staffUser.update({ where, data: { twoFactorRequired } }));
  });
}

/** A new link in place of the one that was lost or is too old. @throws 404, invalid_state */
export async function inviteAgain(ctx: Ctx, userId: number): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    await lockPerson(inner.db, (await userOf(inner, userId)).id);
    const user = await userOf(inner, userId);
    if (user.passwordHash !== null || user.disabledAt) {
      throw new ApiError('invalid_state', {
        message: user.disabledAt
          ? 'This user is disabled. Enable them first.'
          : 'This user has already accepted their invitation. They can reset their password on the sign-in page.',
      });
    }
    await mailInvitation(inner, user, await newTicket(inner, user.id, 'INVITATION'));
    await audit(inner, { action: 'staff.invite', target: user.email });
  });
}

async function mailInvitation(ctx: Ctx, user: StaffUser, secret: string): Promise<void> {
  await queueMail(
    ctx,
    invitationMail(user, {
      account: ctx.consumer.name,
      inviter: ctx.session?.name ?? ctx.consumer.name,
      link: ticketLink(dashboardUrl(ctx.settings), 'INVITATION', secret),
    }),
  );
}

/** Null leaves a field as it is. @throws 404; invalid_state when no owner would be left */
export async function changeUser(ctx: Ctx, userId: number, input: PatchUser): Promise<UserResource> {
  return inTransaction(ctx, async (inner) => {
    const owners = await holdOwners(inner);
    const user = await userOf(inner, userId);
    const { name, role, disabled, twoFactorRequired } = input;
    if ((role !== null && role !== 'OWNER') || disabled === true) assertOwnerLeft(owners, user);
    const changed = await inner.db.staffUser.update({
      where: { id: user.id },
      data: {
        ...(name !== null && { name }),
        ...(role !== null && { role }),
        ...(disabled !== null && { disabledAt: disabled ? (user.disabledAt ?? inner.now) : null }),
        ...(twoFactorRequired !== null && { twoFactorRequired }),
      },
    });
    if (disabled === true) await endSessionsOf(inner, user.id);
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
    await audit(inner, { action: 'staff.change', target: user.email, details: given });
    return presentUser(changed);
  });
}

/** @throws 404; invalid_state when no owner would be left */
export async function removeUser(ctx: Ctx, userId: number): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const owners = await holdOwners(inner);
    const user = await userOf(inner, userId);
    assertOwnerLeft(owners, user);
    await inner.db.staffUser.delete({ where: { id: user.id } });
    await audit(inner, { action: 'staff.delete', target: user.email, details: { name: user.name } });
  });
}

/** Signs a person out everywhere. @throws 404 */
export async function endUserSessions(ctx: Ctx, userId: number): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const user = await userOf(inner, userId);
    const ended = await endSessionsOf(inner, user.id);
    await audit(inner, { action: 'staff.end_sessions', target: user.email, details: { ended } });
  });
}

/**
 * For who lost both the phone and the codes: the password alone lets them in then. Nobody's own, which take their password to
 * turn off.
 *
 * @throws 404; invalid_state for oneself, and when there are none
 */
export async function resetTwoFactor(ctx: Ctx, userId: number): Promise<void> {
  const owner = sessionOf(ctx);
  await inTransaction(ctx, async (inner) => {
    const user = await userOf(inner, userId);
    if (user.id === owner.staffUserId) {
      throw new ApiError('invalid_state', {
        message: 'To disable your own two-factor authentication, go to "Your account and security".',
      });
    }
    if (!(await removeTwoFactor(inner, user.id))) {
      throw new ApiError('invalid_state', {
        message: 'This user has not enabled two-factor authentication.',
      });
    }
    const ended = await endSessionsOf(inner, user.id);
    await audit(inner, { action: 'staff.reset_two_factor', target: user.email, details: { ended } });
    await queueMail(inner, twoFactorResetMail(user, { owner: owner.name, account: inner.consumer.name }));
  });
}

/** Owners who can sign in. Held until the transaction ends: two at once must not each count on the other. */
async function holdOwners({ db, consumer }: Ctx): Promise<number[]> {
  const rows = await db.$queryRaw<{ id: number }[]>`
    select "id" from "StaffUser"
    where "consumerId" = ${consumer.id} and "role" = 'OWNER' and "disabledAt" is null and "passwordHash" is not null
    order by "id" for update`;
  return rows.map(({ id }) => id);
}

function assertOwnerLeft(owners: readonly number[], { id }: StaffUser): void {
  if (!owners.includes(id) || owners.length > 1) return;
  throw new ApiError('invalid_state', {
    message: 'This is the last owner who can sign in. Make another user an owner first.',
  });
}
