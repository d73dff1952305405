/** Counts a request towards the caller's rate limits and reports the first of them in the response headers. */
import { rateLimited } from '@clarion/protocol';
import type { Allowance, Bucket, RateLimiter } from './rate-limit.ts';

/** Adds the `X-RateLimit-*` headers, also when it throws. @throws rate_limited */
export async function countRequest(
  rateLimiter: RateLimiter,
  [first, ...others]: readonly [Bucket, ...Bucket[]],
  now: Date,
  headers: Record<string, string>,
): Promise<void> {
  const allowance = await rateLimiter.take(first, now);
  Object.assign(headers, rateHeaders(first.perMinute, allowance));
  const allowances = [allowance];
  for (const bucket of others) allowances.push(await rateLimiter.take(bucket, now));
  const refused = allowances.find(({ allowed }) => !allowed);
  if (refused) throw rateLimited(Math.max(1, Math.ceil((refused.resetAt.getTime() - now.getTime()) / 1000)));
}

const rateHeaders = (perMinute: number, { remaining, resetAt }: Allowance) => ({
  'x-ratelimit-limit': String(perMinute),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(Math.floor(resetAt.getTime() / 1000)),
});
