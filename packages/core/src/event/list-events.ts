import type { EventResource, ListEvents } from '@clarion/protocol/v1/account/events';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { IN_STATUS } from './event-status.ts';
import { eventsInScope } from './events-in-scope.ts';
import { presentEvents } from './present-events.ts';

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
      ...(status !== null && IN_STATUS[status]),
      occurredAt: { ...(from && { gte: from }), ...(to && { lt: to }) },
      ...(beforeId !== null && { id: { lt: beforeId } }),
    },
    include: { delivery: true },
    orderBy: { id: 'desc' },
    take: limit,
  });
  const events = await presentEvents(ctx.db, rows);
  return { events, nextBeforeId: events.at(-1)?.id ?? null };
}
