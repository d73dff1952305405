/** The delays between reconnection attempts. Pure: the caller provides the random number. */

/** The first attempt follows immediately, because most losses are brief. Later delays double up to a maximum. */
export const FIRST_DELAY_MS = 500;
/**
 * The first attempts, for about 10 s, wait at most this long: a service that restarts is back within seconds, and agents should
 * reconnect within 2 s of that. Only a longer outage makes attempts less frequent.
 */
export const QUICK_DELAY_MS = 1_000;
export const QUICK_ATTEMPTS = 10;
export const MAX_DELAY_MS = 20_000;
/** Jitter, so that an office that lost its network does not reconnect in the same millisecond. */
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
