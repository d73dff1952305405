import type { Prisma } from '@clarion/db';
import { billingEventTypes } from '@clarion/protocol';
import { isOwner, scopeOf } from '../context.ts';
import type { Ctx } from '../context.ts';

/** Narrows a query to the events that the caller may see. The billing of tenants needs the owner role. */
export const eventsInScope = (ctx: Pick<Ctx, 'consumer' | 'session'>): Prisma.EventWhereInput => ({
  ...scopeOf(ctx),
  ...(!isOwner(ctx) && { NOT: { type: { in: [...billingEventTypes] } } }),
});
