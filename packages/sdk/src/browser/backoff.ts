/** The waits between attempts to reach the service again. Pure: the caller brings the random number. */

/** The first attempt follows at once (a dropped socket is mostly a blip); the rest double up to a cap. */
export const FIRST_DELAY_MS = 500;
/**
 * A service that restarts is back in seconds, and its agents then within 2 s: the first attempts, some 10 s of them, wait this long at
 * most. Only a service that stays away is asked ever less often.
 */
export const QUICK_DELAY_MS = 1_000;
export const QUICK_ATTEMPTS = 10;
export const MAX_DELAY_MS = 20_000;
/** A whole office that loses its network must not come back in the same millisecond. */
export const JITTER_RATIO = 0.5;

/**
 * @param attempt 0 for the first attempt after a loss
 * @param random in [0, 1)
 * @returns milliseconds to wait before that attempt
 */
export function reconnectDelayMs(attempt: number, random: number): number {
  const base = attempt <= 0 ? 0 : growing(attempt);
  const spread = attempt <= 0 ? FIRST_DELAY_MS : base;
  return Math.min(Math.round(base + spread * JITTER_RATIO * random), MAX_DELAY_MS);
}

function growing(attempt: number): number {
  if (attempt <= QUICK_ATTEMPTS) return Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), QUICK_DELAY_MS);
  return Math.min(QUICK_DELAY_MS * 2 ** (attempt - QUICK_ATTEMPTS), MAX_DELAY_MS);
}
