/** Sets a password: with the link of an invitation or a reset, or as a signed-in person. */
import { ApiError } from '@clarion/protocol';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { passwordChangedMail } from '../mail/texts.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { endSessionsOf } from '../session/end-sessions.ts';
import { sessionOf } from '../session/signed-in.ts';
import { personContext } from '../session/as-person.ts';
import type { Anonymous, StaffRow } from '../session/as-person.ts';
import { lockPerson } from './lock-person.ts';
import { assertSelf, selfOf } from './self.ts';
import { assertGoodPassword, hashPassword } from './password.ts';
import { newTicket, ticketHash } from './tickets.ts';
import type { LinkKind } from './tickets.ts';

export interface LinkHolder {
  name: string;
  email: string;
  account: string;
}

export interface PasswordSet extends LinkHolder {
  /** For `signInAfterLink`. */
  ticket: string;
}

const OVER =
  'This link is no longer valid. It has expired, has already been used or was replaced by a newer link. Request a new one.';

async function holderOf(
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  kind: LinkKind,
  secret: string,
): Promise<{ ticketId: number; person: StaffRow }> {
  const ticket = await db.staffTicket.findUnique({
    where: { hash: ticketHash(secret) },
    include: { staffUser: { include: { consumer: true } } },
  });
  const isGood = ticket?.kind === kind && !ticket.usedAt && ticket.expiresAt > now;
  if (!ticket || !isGood || ticket.staffUser.disabledAt) throw new ApiError('not_found', { message: OVER });
  if (ticket.staffUser.consumer.status === 'SUSPENDED') throw new ApiError('consumer_suspended');
  return { ticketId: ticket.id, person: ticket.staffUser };
}

/** Whose link it is. @throws not_found if it does not work any more */
export async function readLink(ctx: Anonymous, kind: LinkKind, secret: string): Promise<LinkHolder> {
  const { name, email, consumer } = (await holderOf(ctx, kind, secret)).person;
  return { name, email, account: consumer.name };
}

/**
 * Sets the password and invalidates the link. All sessions of this person end; the caller signs in with the ticket.
 *
 * @throws not_found if the link does not work any more, 400 on `password`
 */
export async function setPasswordByLink(
  ctx: Anonymous,
  kind: LinkKind,
  secret: string,
  password: string,
): Promise<PasswordSet> {
  const { ticketId, person } = await holderOf(ctx, kind, secret);
  assertGoodPassword(password, person);
  const passwordHash = await hashPassword(password);
  const ticket = await inTransaction(personContext(ctx, person), async (inner) => {
    await lockPerson(inner.db, person.id);
    const { count } = await inner.db.staffTicket.updateMany({
      where: { id: ticketId, usedAt: null },
      data: { usedAt: inner.now },
    });
    if (count === 0) throw new ApiError('not_found', { message: OVER });
    // Otherwise, other links of the same person could set it a second time.
    await inner.db.staffTicket.deleteMany({ where: { staffUserId: person.id, usedAt: null } });
    await inner.db.staffUser.update({
      where: { id: person.id },
      data: { passwordHash, passwordChangedAt: inner.now, failedSignIns: 0, lockedUntil: null },
    });
    await endSessionsOf(inner, person.id);
    const action = kind === 'RESET' ? 'staff.reset_password' : 'staff.accept_invitation';
    await audit(inner, { action, target: person.email });
    if (kind === 'RESET') await queueMail(inner, passwordChangedMail(person));
    return newTicket(inner, person.id, 'SIGN_IN');
  });
  return { name: person.name, email: person.email, account: person.consumer.name, ticket };
}

/** Changes the caller's password and ends all their other sessions. @throws 400 on `current_password` or `password`, too_soon */
export async function changePassword(
  ctx: Ctx,
  given: { currentPassword: string; password: string },
): Promise<void> {
  const person = await selfOf(ctx);
  await assertSelf(ctx, person, { password: given.currentPassword, field: 'current_password' });
  assertGoodPassword(given.password, person);
  const passwordHash = await hashPassword(given.password);
  await inTransaction(ctx, async (inner) => {
    await inner.db.staffUser.update({
      where: { id: person.id },
      data: { passwordHash, passwordChangedAt: inner.now },
    });
    await inner.db.staffTicket.deleteMany({ where: { staffUserId: person.id, usedAt: null } });
    await endSessionsOf(inner, person.id, { except: sessionOf(inner).id });
    await audit(inner, { action: 'staff.change_password', target: person.email });
    await queueMail(inner, passwordChangedMail(person));
  });
}
