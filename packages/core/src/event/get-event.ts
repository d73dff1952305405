import { notFound } from '@clarion/protocol';
import type { EventResource } from '@clarion/protocol/v1/account/events';
import type { Ctx } from '../context.ts';
import { eventsInScope } from './events-in-scope.ts';
import { presentOneEvent } from './present-events.ts';

/** One event and its body exactly as it is POSTed. @throws not_found */
export async function getEvent(ctx: Ctx, eventId: string): Promise<{ event: EventResource; body: string }> {
  const row = await ctx.db.event.findFirst({
    where: { ...eventsInScope(ctx), eventId },
    include: { delivery: true },
  });
  if (!row) throw notFound('The event');
  return { event: await presentOneEvent(ctx.db, row), body: row.body };
}
