/** What a plan allows at once and in a minute. Exact: outbound calls of one consumer are counted one after another. */
import { ApiError, rateLimited } from '@clarion/protocol';
import type { Ctx } from '../context.ts';

/** First key of the advisory locks of consumers; the second is the consumer's id. */
const CAPACITY_LOCK = 1_903_261;
const VELOCITY_WINDOW_MS = 60_000;

/**
 * Holds the consumer's capacity until the transaction ends.
 *
 * @throws 409 too_many_calls; 429 rate_limited with the time until the oldest call of the last minute no longer counts
 */
export async function takeCapacity({ db, consumer, now }: Ctx): Promise<void> {
  await db.$executeRaw`select pg_advisory_xact_lock(${CAPACITY_LOCK}::int, ${consumer.id}::int)`;
  const live = await db.liveCall.count({ where: { consumerId: consumer.id } });
  if (live >= consumer.planCallsAtOnce) throw new ApiError('too_many_calls');
  const since = new Date(now.getTime() - VELOCITY_WINDOW_MS);
  // The call that has to leave the window before another fits in.
  const [blocking] = await db.call.findMany({
    where: { consumerId: consumer.id, direction: 'OUTBOUND', createdAt: { gt: since } },
    orderBy: { createdAt: 'desc' },
    skip: Math.max(0, consumer.planOutboundPerMinute - 1),
    take: 1,
    select: { createdAt: true },
  });
  if (!blocking && consumer.planOutboundPerMinute > 0) return;
  const freeAt = (blocking?.createdAt.getTime() ?? now.getTime()) + VELOCITY_WINDOW_MS;
  throw rateLimited(Math.max(1, Math.ceil((freeAt - now.getTime()) / 1000)));
}
