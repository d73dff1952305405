/** Ends sessions. The database notifies every process (clarion_session), and each rejects the session's next request. */
import { notFound } from '@clarion/protocol';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { sessionHash } from './session-secret.ts';
import { sessionOf } from './signed-in.ts';

/** Ends one of the caller's own sessions, including the current one. @throws not_found */
export async function endMySession(ctx: Ctx, sessionId: number): Promise<void> {
  const { id, staffUserId } = sessionOf(ctx);
  await inTransaction(ctx, async (inner) => {
    const { count } = await inner.db.dashboardSession.updateMany({
      where: {
        id: sessionId,
        consumerId: inner.consumer.id,
        revokedAt: null,
        ...(staffUserId === null ? { AND: { id } } : { staffUserId }),
      },
      data: { revokedAt: inner.now },
    });
    if (count === 0) throw notFound('The session');
    await audit(inner, { action: 'session.end', target: String(sessionId) });
  });
}

/** Signs out, or replaces the session (`replaced`) at a new sign-in: the cookie's previous session ends. */
export async function signOut(
  ctx: Ctx,
  secret: string,
  { replaced = false }: { replaced?: boolean } = {},
): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const { count } = await inner.db.dashboardSession.updateMany({
      where: { hash: sessionHash(secret), revokedAt: null },
      data: { revokedAt: inner.now },
    });
    const { id, tenantId } = sessionOf(inner);
    if (count > 0) {
      await audit(inner, {
        action: 'session.sign_out',
        target: String(id),
        ...(tenantId !== null && { tenantId }),
        ...(replaced && { details: { replaced } }),
      });
    }
  });
}

/** Ends all sessions of a person except, optionally, the current one, and invalidates a pending sign-in ticket. */
export async function endSessionsOf(
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  staffUserId: number,
  { except }: { except?: number } = {},
): Promise<number> {
  // First, because it waits for a ticket in use, whose session the next statement then finds.
  await db.staffTicket.deleteMany({ where: { staffUserId, kind: 'SIGN_IN', usedAt: null } });
  const { count } = await db.dashboardSession.updateMany({
    where: { staffUserId, revokedAt: null, ...(except !== undefined && { id: { not: except } }) },
    data: { revokedAt: now },
  });
  return count;
}
