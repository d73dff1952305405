/**
 * Counts messages that match no dialog or transaction per source address, requests and responses alike, and drops the excess: one
 * token bucket each. Messages of established calls never pass here, so a flood cannot affect them.
 */

/** Unmatched messages per second that one address may send on average. */
export const FLOOD_RATE_PER_SECOND = 100;
/** Unmatched messages that one address may send at once. */
export const FLOOD_BURST = 200;
/** Addresses watched at once; when more come, the longest silent are forgotten. */
export const MAX_WATCHED_SOURCES = 50_000;

export interface FloodLimits {
  /** 0 switches the guard off. */
  readonly ratePerSecond: number;
  readonly burst: number;
  /** Addresses that are never limited: carriers with large call volumes, load generators. */
  readonly unlimited: ReadonlySet<string>;
}

interface Bucket {
  tokens: number;
  at: number;
}

export class FloodGuard {
  readonly #limits: FloodLimits;
  /** In order of last use, so that the first is the one silent for longest. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(limits: FloodLimits) {
    this.#limits = limits;
  }

  /** Takes one token of a source; false when it has none left. `now` in ms. */
  allows(address: string, now: number): boolean {
    const { ratePerSecond, burst, unlimited } = this.#limits;
    if (ratePerSecond === 0 || unlimited.has(address)) return true;
    const bucket = this.#buckets.get(address) ?? { tokens: burst, at: now };
    this.#buckets.delete(address);
    this.#buckets.set(address, bucket);
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * ratePerSecond);
    bucket.at = now;
    if (this.#buckets.size > MAX_WATCHED_SOURCES) {
      const oldest = this.#buckets.keys().next();
      if (oldest.done !== true) this.#buckets.delete(oldest.value);
    }
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }
}
