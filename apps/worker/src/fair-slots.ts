/**
 * Shares the worker's slots between consumers, so that a slow endpoint does not delay the others.
 *
 * Deliveries have a flag per consumer. A claim skips consumers that have no slots left (in-flight-deliveries.ts), so a backlog of one
 * consumer does not affect the others.
 *
 * Alternatives: with only a semaphore, one consumer's waiting deliveries would fill all slots; returning them would update every row of a
 * backlog repeatedly.
 * The limit is per worker process, because so are the slots.
 */

/** Concurrent deliveries in one worker process. A slot costs a socket, and most of them wait. */
export const CONCURRENCY = 200;
/** Concurrent deliveries of one consumer in one worker process. */
export const SLOTS_PER_FLAG = 10;
/** The same while the consumer's endpoint is slow, so that 90 dead endpoints still leave slots for others. */
export const SLOTS_PER_SLOW_FLAG = 2;
/** A job that takes longer than this marks its consumer as slow; the next quick one clears the mark. */
export const SLOW_MS = 3_000;

/** The flag of a consumer's deliveries. */
export const consumerFlag = (consumerId: number) => `consumer:${consumerId}`;

export class FairSlots {
  readonly #running = new Map<string, number>();
  readonly #slow = new Set<string>();
  #total = 0;

  /** Takes a slot for each flag, or none and returns false if one of them has no slot left. */
  take(flags: readonly string[]): boolean {
    if (flags.some((flag) => (this.#running.get(flag) ?? 0) >= this.limit(flag))) return false;
    for (const flag of flags) this.#running.set(flag, (this.#running.get(flag) ?? 0) + 1);
    this.#total += flags.length;
    return true;
  }

  /** Returns the slots. `tookMs` is the duration of the job. */
  release(flags: readonly string[], tookMs: number): void {
    this.#total -= flags.length;
    for (const flag of flags) {
      const left = (this.#running.get(flag) ?? 0) - 1;
      if (left > 0) this.#running.set(flag, left);
      else this.#running.delete(flag);
      if (tookMs > SLOW_MS) this.#slow.add(flag);
      else this.#slow.delete(flag);
    }
  }

  /** Running jobs, for the metrics. */
  get running(): number {
    return this.#total;
  }

  /** How many slots this flag may use. */
  limit(flag: string): number {
    return this.isSlow(flag) ? SLOTS_PER_SLOW_FLAG : SLOTS_PER_FLAG;
  }

  isSlow(flag: string): boolean {
    return this.#slow.has(flag);
  }
}
