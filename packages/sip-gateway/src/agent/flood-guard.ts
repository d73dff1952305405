/**
 * Limits messages that match no dialog or transaction, both requests and responses, and drops the excess. Messages of
 * established calls are not counted, so a flood cannot affect them.
 *
 * Each source address has a token bucket. All addresses from which no call has been accepted yet share two more: a flood
 * from many addresses, or with forged ones, then takes a bounded share of the processor, while carriers that are known
 * from earlier calls keep their own rate. The second one admits addresses that have sent little, such as a carrier whose
 * first call arrives during a flood.
 */

/** Average number of unmatched messages per second from one address. */
export const FLOOD_RATE_PER_SECOND = 100;
/** Number of unmatched messages that one address may send in a burst. */
export const FLOOD_BURST = 200;
/** Number of tracked addresses; beyond it, the least recently active is evicted. */
export const MAX_WATCHED_SOURCES = 50_000;
/** Unmatched messages per second from all addresses without an accepted call. */
export const STRANGERS_PER_SECOND = 150;
/** In addition, from those that have sent at most `QUIET_MESSAGES` lately. */
export const QUIET_STRANGERS_PER_SECOND = 50;
export const QUIET_MESSAGES = 10;
/** Number of addresses with an accepted call that are remembered; beyond it, the least recently used is evicted. */
export const MAX_ACCEPTED_SOURCES = 10_000;

export interface FloodLimits {
  /** 0 disables the guard. */
  readonly ratePerSecond: number;
  readonly burst: number;
  /** Addresses that are never limited: carriers with large call volumes, load generators. */
  readonly unlimited: ReadonlySet<string>;
}

class Bucket {
  tokens: number;
  #at: number;
  readonly #ratePerSecond: number;
  readonly #burst: number;

  constructor(ratePerSecond: number, burst: number, now: number) {
    this.#ratePerSecond = ratePerSecond;
    this.#burst = burst;
    this.tokens = burst;
    this.#at = now;
  }

  /** `now` in ms. */
  fill(now: number): void {
    this.tokens = Math.min(this.#burst, this.tokens + ((now - this.#at) / 1000) * this.#ratePerSecond);
    this.#at = now;
  }

  /** Takes a token; false if none is left. */
  take(): boolean {
    if (this.tokens < 1) return false;
    this.tokens--;
    return true;
  }
}

export class FloodGuard {
  readonly #limits: FloodLimits;
  /** In order of last use: the first is the least recently active. */
  readonly #buckets = new Map<string, Bucket>();
  /** Addresses from which a call was accepted, in order of last use. */
  readonly #accepted = new Set<string>();
  readonly #strangers = new Bucket(STRANGERS_PER_SECOND, STRANGERS_PER_SECOND, 0);
  readonly #quietStrangers = new Bucket(QUIET_STRANGERS_PER_SECOND, QUIET_STRANGERS_PER_SECOND, 0);

  constructor(limits: FloodLimits) {
    this.#limits = limits;
  }

  /** Takes one token of a source; false if none is left. `now` in ms. */
  allows(address: string, now: number): boolean {
    const { ratePerSecond, burst, unlimited } = this.#limits;
    if (ratePerSecond === 0 || unlimited.has(address)) return true;
    const bucket = this.#buckets.get(address) ?? new Bucket(ratePerSecond, burst, now);
    this.#buckets.delete(address);
    this.#buckets.set(address, bucket);
    bucket.fill(now);
    evictOldest(this.#buckets, MAX_WATCHED_SOURCES);
    if (!bucket.take()) return false;
    return this.#accepted.has(address) || this.#allowsStranger(bucket, now);
  }

  /** A call from this address was accepted. */
  accepted(address: string): void {
    this.#accepted.delete(address);
    this.#accepted.add(address);
    evictOldest(this.#accepted, MAX_ACCEPTED_SOURCES);
  }

  /** Whether a call from this address was accepted, or it is exempt. All others are strangers. */
  isKnown(address: string): boolean {
    return this.#limits.unlimited.has(address) || this.#accepted.has(address);
  }

  #allowsStranger({ tokens }: Bucket, now: number): boolean {
    this.#strangers.fill(now);
    if (this.#strangers.take()) return true;
    this.#quietStrangers.fill(now);
    return tokens >= this.#limits.burst - QUIET_MESSAGES && this.#quietStrangers.take();
  }
}

function evictOldest(kept: Map<string, unknown> | Set<string>, most: number): void {
  if (kept.size <= most) return;
  const oldest = kept.keys().next();
  if (oldest.done !== true) kept.delete(oldest.value);
}
