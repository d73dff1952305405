/**
 * Limits messages that match no dialog or transaction, both requests and responses, with one token bucket per source
 * address, and drops the excess. Messages of established calls are not counted, so a flood cannot affect them.
 */

/** Average number of unmatched messages per second from one address. */
export const FLOOD_RATE_PER_SECOND = 100;
/** Number of unmatched messages that one address may send in a burst. */
export const FLOOD_BURST = 200;
/** Number of tracked addresses; beyond it, the least recently active is evicted. */
export const MAX_WATCHED_SOURCES = 50_000;

export interface FloodLimits {
  /** 0 disables the guard. */
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
  /** In order of last use: the first is the least recently active. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(limits: FloodLimits) {
    this.#limits = limits;
  }

  /** Takes one token of a source; false if none is left. `now` in ms. */
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
