/**
 * Enforces the plan's limits of concurrent calls and calls per minute, and refuses outbound calls while every realtime node is overloaded.
 *
 * Both limits are exact. Triggers on LiveCall count the live calls of a consumer in ConsumerLiveCalls (the migration `admission`), and the
 * statement that begins a call checks the count after it has been added (`commit_step`). Outbound calls of a consumer are checked one after another.
 */
import { ApiError, rateLimited } from '@clarion/protocol';
import type { Ctx } from '../context.ts';

/** First key of the advisory locks of consumers. The second key is the consumer's ID. */
const CAPACITY_LOCK = 1_903_261;
const VELOCITY_WINDOW_MS = 60_000;
/** After this long an overloaded realtime node has usually ended or refused what was too much. */
const OVERLOADED_RETRY_SECONDS = 2;

interface Found {
  calls: number;
  overloaded: boolean;
  blockedSince: Date | null;
  fullTrunkIds: number[];
}

/**
 * Checks whether an outbound call may begin, within the caller's transaction.
 *
 * @param limitedTrunkIds the trunks with a limit of concurrent calls that the call may use
 * @returns those of them that have reached it
 * @throws 503 overloaded; 409 too_many_calls; 429 rate_limited with the time until the oldest call of the last minute no longer counts
 */
export async function takeCapacity(
  { db, consumer, now }: Pick<Ctx, 'db' | 'consumer' | 'now'>,
  limitedTrunkIds: readonly number[] = [],
): Promise<readonly number[]> {
  await db.$executeRaw`select pg_advisory_xact_lock(${CAPACITY_LOCK}::int, ${consumer.id}::int)`;
  const since = new Date(now.getTime() - VELOCITY_WINDOW_MS);
  const [found] = await db.$queryRaw<Found[]>`
    select
      coalesce((select "calls" from "ConsumerLiveCalls" where "consumerId" = ${consumer.id}), 0) as "calls",
      -- Without any node the call waits for one to start.
      coalesce((select bool_and(coalesce("overloadedUntil" > now(), false)) from "RealtimeNode"), false) as "overloaded",
      -- The call that must leave the window before another one is allowed.
      (select "createdAt" from "Call"
        where "consumerId" = ${consumer.id} and "direction" = 'OUTBOUND' and "createdAt" > ${since}
        order by "createdAt" desc
        offset ${Math.max(0, consumer.planOutboundPerMinute - 1)} limit 1) as "blockedSince",
      array(select n."trunkId" from "TrunkLiveCalls" n join "SipTrunk" t on t."id" = n."trunkId"
        where n."trunkId" = any(${limitedTrunkIds}::int[]) and n."calls" >= t."maxCalls") as "fullTrunkIds"`;
  if (found?.overloaded) throw new ApiError('overloaded', { retryAfterSeconds: OVERLOADED_RETRY_SECONDS });
  if ((found?.calls ?? 0) >= consumer.planCallsAtOnce) throw new ApiError('too_many_calls');
  const blockedSince = found?.blockedSince ?? null;
  if (blockedSince === null && consumer.planOutboundPerMinute > 0) return found?.fullTrunkIds ?? [];
  const freeAt = (blockedSince?.getTime() ?? now.getTime()) + VELOCITY_WINDOW_MS;
  throw rateLimited(Math.max(1, Math.ceil((freeAt - now.getTime()) / 1000)));
}
