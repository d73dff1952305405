/** What a plan allows at once and in a minute. Exact: new calls of one consumer, in and out, are counted one after another. */
import { ApiError, rateLimited } from '@clarion/protocol';
import type { Consumer, Tx } from '@clarion/db';
import type { Ctx } from '../context.ts';

/** First key of the advisory locks of consumers; the second is the consumer's id. */
const CAPACITY_LOCK = 1_903_261;
const VELOCITY_WINDOW_MS = 60_000;

/**
 * Holds the consumer's capacity until the transaction ends: nobody else counts before the call this one creates is seen, or
 * is not to come.
 *
 * @returns whether one more call fits into the plan's calls at once
 */
export async function holdCapacity(
  tx: Tx,
  { id, planCallsAtOnce }: Pick<Consumer, 'id' | 'planCallsAtOnce'>,
): Promise<boolean> {
  await tx.$executeRaw`select pg_advisory_xact_lock(${CAPACITY_LOCK}::int, ${id}::int)`;
  return (await tx.liveCall.count({ where: { consumerId: id } })) < planCallsAtOnce;
}

/**
 * Takes capacity for an outbound call, within the caller's transaction.
 *
 * @throws 409 too_many_calls; 429 rate_limited with the time until the oldest call of the last minute no longer counts
 */
export async function takeCapacity({
  db,
  consumer,
  now,
}: Pick<Ctx, 'db' | 'consumer' | 'now'>): Promise<void> {
  if (!(await holdCapacity(db, consumer))) throw new ApiError('too_many_calls');
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
