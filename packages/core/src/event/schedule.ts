/** When a failed delivery is tried again (docs/requirements.md#events): the whole schedule is this list. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits between attempts in ms: the first follows the first attempt. After the last wait comes the last attempt. */
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

/** Attempts before an event is given up, the first one included. */
export const MAX_DELIVERY_ATTEMPTS = RETRY_DELAYS_MS.length + 1;

/**
 * @param attemptsMade how many have failed so far, 1 or more
 * @param failedAt when the last of them ended
 * @returns null when the event is given up
 */
export function nextAttemptAt(attemptsMade: number, failedAt: Date): Date | null {
  const delay = RETRY_DELAYS_MS[attemptsMade - 1];
  return delay === undefined ? null : new Date(failedAt.getTime() + delay);
}
