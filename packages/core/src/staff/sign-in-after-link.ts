/**
 * Signs in with the ticket of a person who has just set a password with an emailed link. The account's attempts, which anyone who knows the
 * address can use up, are neither checked nor counted: a ticket has its own few attempts at the second factor.
 */
import type { Device } from '../session/open-session.ts';
import type { Anonymous, StaffRow } from '../session/as-person.ts';
import { lockPerson } from './lock-person.ts';
import { auditFailure, open, secondFactor } from './sign-in.ts';
import type { SignInResult } from './sign-in.ts';
import { CODES_AFTER_LINK } from './staff-limits.ts';
import { ticketHash } from './tickets.ts';

export interface TicketProof {
  ticket: string;
  /** A code of the authenticator or a recovery code; null until it is requested. */
  code: string | null;
}

/** `ticket`: it was used, has expired, has no attempts left, or the sessions of its holder were ended. */
export type RefusedAfterLink = 'ticket' | 'code' | 'wrong-code' | 'suspended';

export async function signInAfterLink(
  ctx: Anonymous,
  { ticket, code }: TicketProof,
  device: Device,
): Promise<SignInResult<RefusedAfterLink>> {
  const hash = ticketHash(ticket);
  const person = await holderOf(ctx, hash);
  if (!person) return { refused: 'ticket' };
  if (person.consumer.status === 'SUSPENDED') return { refused: 'suspended' };
  if (person.totpConfirmedAt && code !== null && !(await countCode(ctx, hash))) return { refused: 'ticket' };
  const factors = await secondFactor(ctx, person, code);
  if (factors === 'wrong-code') await auditFailure(ctx, person, device, null, { factor: 'code' });
  if (factors === 'code' || factors === 'wrong-code') return { refused: factors };
  const opened = await open(ctx, person, device, factors, async (inner) => {
    await lockPerson(inner.db, person.id);
    return useUp(inner, hash);
  });
  return opened === null ? { refused: 'ticket' } : { opened };
}

type Hash = ReturnType<typeof ticketHash>;

const usable = (hash: Hash, now: Date) =>
  ({ hash, kind: 'SIGN_IN', usedAt: null, expiresAt: { gt: now } }) as const;

async function holderOf({ db, now }: Anonymous, hash: Hash): Promise<StaffRow | null> {
  const ticket = await db.staffTicket.findFirst({
    where: usable(hash, now),
    include: { staffUser: { include: { consumer: true } } },
  });
  return ticket === null || ticket.staffUser.disabledAt ? null : ticket.staffUser;
}

/** Runs before the code is checked, so that concurrent attempts are counted too. */
async function countCode({ db, now }: Anonymous, hash: Hash): Promise<boolean> {
  const { count } = await db.staffTicket.updateMany({
    where: { ...usable(hash, now), codeTries: { lt: CODES_AFTER_LINK } },
    data: { codeTries: { increment: 1 } },
  });
  return count === 1;
}

async function useUp({ db, now }: Pick<Anonymous, 'db' | 'now'>, hash: Hash): Promise<boolean> {
  const { count } = await db.staffTicket.updateMany({
    where: usable(hash, now),
    data: { usedAt: now },
  });
  return count === 1;
}
