/** Repeats work that failed because the database was busy or away for a moment. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Pauses before the repetitions, in milliseconds. A connection that is lost for longer is noticed, and everything is checked after it. */
export const REPEAT_AFTER_MS: readonly number[] = [200, 1_000, 5_000];

/**
 * @param work may be done twice
 * @throws the error of the last attempt
 */
export async function repeated<T>(
  work: () => Promise<T>,
  pausesMs: readonly number[] = REPEAT_AFTER_MS,
): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await work();
    } catch {
      await sleep(pauseMs, undefined, { ref: false });
    }
  }
  return work();
}
