import type { SessionResource } from '@clarion/protocol/v1/account/me';
import type { Ctx } from '../context.ts';
import { isOver, SESSION_IDLE_MS } from './session-limits.ts';
import { sessionOf } from './signed-in.ts';

/** The caller's own sessions that are not over, the one that asks first, then those seen last. */
export async function listMySessions(ctx: Ctx): Promise<{ sessions: SessionResource[] }> {
  const { id, staffUserId } = sessionOf(ctx);
  const rows = await ctx.db.dashboardSession.findMany({
    where: {
      ...(staffUserId === null ? { id } : { staffUserId }),
      consumerId: ctx.consumer.id,
      revokedAt: null,
      expiresAt: { gt: ctx.now },
      lastSeenAt: { gt: new Date(ctx.now.getTime() - SESSION_IDLE_MS) },
    },
    orderBy: [{ lastSeenAt: 'desc' }, { id: 'desc' }],
  });
  const sessions = rows
    .filter((row) => !isOver(row, ctx.now))
    .map((row) => ({
      id: row.id,
      current: row.id === id,
      userAgent: row.userAgent,
      address: row.address,
      createdAt: row.createdAt.toISOString(),
      lastSeenAt: row.lastSeenAt.toISOString(),
      expiresAt: row.expiresAt.toISOString(),
    }));
  return {
    sessions: [...sessions.filter(({ current }) => current), ...sessions.filter(({ current }) => !current)],
  };
}
