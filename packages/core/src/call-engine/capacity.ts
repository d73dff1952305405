/**
 * Enforces the plan's limits of concurrent calls and calls per minute. Exact: the new calls of a consumer are counted one after another.
 */
import { ApiError, rateLimited } from '@clarion/protocol';
import type { Consumer, Tx } from '@clarion/db';
import type { Ctx } from '../context.ts';

/** First key of the advisory locks of consumers. The second key is the consumer's ID. */
const CAPACITY_LOCK = 1_903_261;
const VELOCITY_WINDOW_MS = 60_000;

/**
 * Locks the consumer's capacity until the transaction ends, so that the call that it creates is committed or rolled back before another
 * transaction counts.
 *
 * @returns whether one more call is within the limit of concurrent calls
 */
export async function lockCapacity(
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
  if (!(await lockCapacity(db, consumer))) throw new ApiError('too_many_calls');
  const since = new Date(now.getTime() - VELOCITY_WINDOW_MS);
  // The call that must leave the window before another one is allowed.
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
