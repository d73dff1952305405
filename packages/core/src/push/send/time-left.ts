/** How long a request may take. */

/** Milliseconds for the next request of a send; 0 or less: the deadline has passed. */
export type TimeLeft = () => number;

/** A push service that does not answer within this time is too slow for a call. It answers within a few hundred milliseconds. */
export const ANSWER_TIMEOUT_MS = 5_000;

/** `late` if `work` takes longer. It continues, because others may wait for its result. */
export async function within<T>(timeoutMs: number, work: Promise<T>, late: T): Promise<T> {
  if (timeoutMs <= 0) return late;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<T>((resolve) => (timer = setTimeout(() => resolve(late), timeoutMs)));
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Measured from now on with the monotonic clock, so that a correction of the clock has no effect on a send that is running. */
export function timeUntil(deadline: Date, now: Date): TimeLeft {
  const endsAt = performance.now() + deadline.getTime() - now.getTime();
  return () => Math.min(ANSWER_TIMEOUT_MS, endsAt - performance.now());
}
