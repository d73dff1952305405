/** Ending sessions: their next request is refused by every process, which the database tells (clarion_session). */
import { notFound } from '@clarion/protocol';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { sessionHash } from './session-secret.ts';
import { sessionOf } from './signed-in.ts';

/** One of the caller's own sessions, this one too. @throws not_found */
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

/** Signing out, or `replaced` by signing in anew: whatever the cookie held is nobody's any more. */
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

/** Every session of one person but, perhaps, the one that asks; and the one that a ticket would open. */
export async function endSessionsOf(
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  staffUserId: number,
  { except }: { except?: number } = {},
): Promise<number> {
  // First: it waits for a ticket that is being used, whose session the next statement then finds.
  await db.staffTicket.deleteMany({ where: { staffUserId, kind: 'SIGN_IN', usedAt: null } });
  const { count } = await db.dashboardSession.updateMany({
    where: { staffUserId, revokedAt: null, ...(except !== undefined && { id: { not: except } }) },
    data: { revokedAt: now },
  });
  return count;
}
