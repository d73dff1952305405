/** Retries work that failed because the database was briefly busy or unreachable. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Pauses before the retries, in milliseconds. After a longer loss of the connection everything is checked again. */
export const RETRY_DELAYS_MS: readonly number[] = [200, 1_000, 5_000];

/**
 * @param work is idempotent
 * @throws the error of the last attempt
 */
export async function withRetries<T>(
  work: () => Promise<T>,
  delaysMs: readonly number[] = RETRY_DELAYS_MS,
): Promise<T> {
  for (const delayMs of delaysMs) {
    try {
      return await work();
    } catch {
      await sleep(delayMs, undefined, { ref: false });
    }
  }
  return work();
}
