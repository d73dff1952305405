import type { EventResource, ListEvents } from '@clarion/protocol/v1/account/events';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { eventsInScope } from './events-in-scope.ts';
import { presentEvent } from './present.ts';

/** Newest first. `from` is inclusive, `to` is exclusive. @throws not_found for an unknown tenant */
export async function listEvents(
  ctx: Ctx,
  query: ListEvents,
): Promise<{ events: EventResource[]; nextBeforeId: number | null }> {
  const { type, tenantRef, callId, status, from, to, limit, beforeId } = query;
  const tenant = tenantRef === null ? null : await tenantOf(ctx, tenantRef);
  const rows = await ctx.db.event.findMany({
    where: {
      ...eventsInScope(ctx),
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
