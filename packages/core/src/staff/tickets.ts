/**
 * The secrets in emailed links, and the sign-in ticket that setting a password with a link returns: stored as hashes and used once. A new
 * invitation replaces the previous one, because only owners send them. Several reset links are valid at the same time: anyone can request
 * one, which must not invalidate a link that its owner is about to use.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { StaffTicketKind } from '@clarion/db';
import type { Ctx } from '../context.ts';
import { INVITATION_MS, RESET_MS, SIGN_IN_AFTER_LINK_MS } from './staff-limits.ts';

const SECRET_BYTES = 32;
const LASTS_MS = {
  INVITATION: INVITATION_MS,
  RESET: RESET_MS,
  SIGN_IN: SIGN_IN_AFTER_LINK_MS,
} as const satisfies Record<StaffTicketKind, number>;
export type LinkKind = Exclude<StaffTicketKind, 'SIGN_IN'>;
/** In the fragment, which is never sent to a server or in a Referer header. */
const PAGES = {
  INVITATION: '/app/invitation#token=',
  RESET: '/app/reset-password#token=',
} as const satisfies Record<LinkKind, string>;

export const ticketHash = (secret: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(secret).digest());

/** @returns the secret, which is not stored */
export async function newTicket(
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  staffUserId: number,
  kind: StaffTicketKind,
  lastsMs: number = LASTS_MS[kind],
): Promise<string> {
  if (kind === 'INVITATION') await db.staffTicket.deleteMany({ where: { staffUserId, kind, usedAt: null } });
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  await db.staffTicket.create({
    data: {
      staffUserId,
      kind,
      hash: ticketHash(secret),
      createdAt: now,
      expiresAt: new Date(now.getTime() + lastsMs),
    },
  });
  return secret;
}

export const ticketLink = (appUrl: string, kind: LinkKind, secret: string): string =>
  `${appUrl}${PAGES[kind]}${secret}`;
