/** When a failed delivery is retried (docs/requirements.md#events): this list is the whole schedule. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delays between attempts in ms: the first follows the first attempt, the last precedes the last attempt. */
const RETRY_DELAYS_MS = [
  5 * SECOND,
  15 * SECOND,
  1 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  HOUR,
  HOUR,
  HOUR,
  HOUR,
] as const;

/** Attempts before an event fails, including the first. */
export const MAX_DELIVERY_ATTEMPTS = RETRY_DELAYS_MS.length + 1;

/**
 * @param attemptsMade failed attempts so far, 1 or more
 * @param failedAt when the last one ended
 * @returns null if there are no attempts left
 */
export function nextAttemptAt(attemptsMade: number, failedAt: Date): Date | null {
  const delay = RETRY_DELAYS_MS[attemptsMade - 1];
  return delay === undefined ? null : new Date(failedAt.getTime() + delay);
}
