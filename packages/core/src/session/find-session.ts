/** Finds a session by its cookie, with the person's current role and status. */
import type { Consumer, Prisma, Tx } from '@clarion/db';
import type { Actor, SessionCaller } from '../context.ts';
import { sessionHash } from './session-secret.ts';

const withPeople = {
  consumer: true,
  staffUser: {
    select: { name: true, role: true, disabledAt: true, twoFactorRequired: true, totpConfirmedAt: true },
  },
  tenant: { select: { ref: true } },
} satisfies Prisma.DashboardSessionInclude;

export interface KnownSession {
  consumer: Consumer;
  actor: Extract<Actor, { kind: 'dashboardUser' | 'launchedUser' }>;
  caller: SessionCaller;
  tenantRef: string | null;
  /** The account requires two-factor authentication and this person has not set it up: they may do nothing else before. */
  needsTwoFactor: boolean;
  lastSeenAt: Date;
  expiresAt: Date;
}

/** Null if there is none, it was ended, or the person may not sign in any more. The caller checks its times. */
export async function findSession(db: Tx, secret: string): Promise<KnownSession | null> {
  const row = await db.dashboardSession.findUnique({
    where: { hash: sessionHash(secret) },
    include: withPeople,
  });
  if (!row || row.revokedAt || row.staffUser?.disabledAt) return null;
  const { id, staffUser, staffUserId, tenantId, tenant, consumer, lastSeenAt, expiresAt } = row;
  const { name, role } = staffUser ?? row;
  return {
    consumer,
    actor:
      staffUserId === null
        ? { kind: 'launchedUser', id: row.userRef ?? '', name }
        : { kind: 'dashboardUser', id: staffUserId, name },
    caller: { id, role, name, staffUserId, tenantId },
    tenantRef: tenant?.ref ?? null,
    needsTwoFactor: staffUser !== null && staffUser.twoFactorRequired && staffUser.totpConfirmedAt === null,
    lastSeenAt,
    expiresAt,
  };
}
