/**
 * Shares the worker's slots between consumers, so that one slow endpoint does not hold back the others.
 *
 * Jobs carry a flag per consumer. Before a worker takes jobs it knows which flags have all they may have and passes over theirs
 * (hand.ts), so a waiting backlog of one consumer costs the others nothing.
 *
 * Why not one of the other ways: a named queue per consumer runs its jobs strictly one by one, and graphile-worker locks every
 * named queue there is at each look; a semaphore alone would let one consumer's waiting jobs fill all slots; putting back alone would
 * touch every row of a backlog again and again. The limit is per worker process, which is what a shared slot is.
 */

/** Deliveries that run at once in one worker process. A slot costs a socket, and most of them wait. */
export const CONCURRENCY = 200;
/** Deliveries of one consumer that run at once in one worker process. */
export const SLOTS_PER_FLAG = 10;
/** The same while the consumer's endpoint is slow, so that 90 dead endpoints at once still leave slots free. */
export const SLOTS_PER_SLOW_FLAG = 2;
/** A job that takes longer than this makes its consumer slow; the next quick one lifts it. */
export const SLOW_MS = 3_000;

export class FairSlots {
  readonly #running = new Map<string, number>();
  readonly #slow = new Set<string>();

  /** Takes a slot for each flag, or none: false when one of them has all it may have. */
  take(flags: readonly string[]): boolean {
    if (flags.some((flag) => (this.#running.get(flag) ?? 0) >= this.limit(flag))) return false;
    for (const flag of flags) this.#running.set(flag, (this.#running.get(flag) ?? 0) + 1);
    return true;
  }

  /** Gives the slots back. `tookMs` is how long the job ran. */
  release(flags: readonly string[], tookMs: number): void {
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
    return [...this.#running.values()].reduce((sum, count) => sum + count, 0);
  }

  /** How many of this flag may run at once. */
  limit(flag: string): number {
    return this.isSlow(flag) ? SLOTS_PER_SLOW_FLAG : SLOTS_PER_FLAG;
  }

  isSlow(flag: string): boolean {
    return this.#slow.has(flag);
  }
}
