import type { EventResource, ListEvents } from '@clarion/protocol/v1/account/events';
import { scopeOf, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { presentEvent } from './present.ts';

/** Newest first. An unknown tenant is not found; `from` is inclusive, `to` is not. */
export async function listEvents(
  ctx: Ctx,
  query: ListEvents,
): Promise<{ events: EventResource[]; nextBeforeId: number | null }> {
  const { type, tenantRef, callId, status, from, to, limit, beforeId } = query;
  const tenant = tenantRef === null ? null : await tenantOf(ctx, tenantRef);
  const rows = await ctx.db.event.findMany({
    where: {
      ...scopeOf(ctx),
      ...(tenant && { tenantId: tenant.id }),
      ...(type !== null && { type }),
      ...(callId !== null && { callId }),
      ...(status !== null && { status }),
      occurredAt: { ...(from && { gte: from }), ...(to && { lt: to }) },
      ...(beforeId !== null && { id: { lt: beforeId } }),
    },
    include: { attempts: { orderBy: { id: 'asc' } } },
    orderBy: { id: 'desc' },
    take: limit,
  });
  const events = rows.map(presentEvent);
  return { events, nextBeforeId: events.at(-1)?.id ?? null };
}
