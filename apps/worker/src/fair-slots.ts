/**
 * Shares the worker's slots between consumers, so that one slow endpoint does not hold back the others.
 *
 * Jobs carry a flag per consumer. graphile-worker is told, before it takes a job, which flags have all the slots they may have
 * (`forbiddenFlags`) and passes over their jobs, so a waiting backlog of one consumer costs the others nothing. Slots that look for
 * work at the same moment can take a few jobs too many; those are put back for a moment (`BOUNCE_MS`).
 *
 * Why not one of the other ways: a named queue per consumer runs its jobs strictly one by one, and graphile-worker locks every
 * named queue there is at each look; a semaphore alone would let one consumer's waiting jobs fill all slots; putting back alone would
 * touch every row of a backlog again and again. The limit is per worker process, which is what a shared slot is.
 */

/** Jobs that run at once in one worker process. */
export const CONCURRENCY = 50;
/** Deliveries of one consumer that run at once in one worker process. */
export const SLOTS_PER_FLAG = 10;
/** The same while the consumer's endpoint is slow, so that 25 dead endpoints at once still leave slots free. */
export const SLOTS_PER_SLOW_FLAG = 2;
/** A job that takes longer than this makes its consumer slow; the next quick one lifts it. */
export const SLOW_MS = 3_000;
/** A job taken beyond the limit is due again after this. */
export const BOUNCE_MS = 250;

export class FairSlots {
  readonly #running = new Map<string, number>();
  readonly #slow = new Set<string>();

  /** Flags whose jobs are to be left alone for now. */
  full(): string[] {
    return [...this.#running].filter(([flag, count]) => count >= this.#limit(flag)).map(([flag]) => flag);
  }

  /** Takes a slot for each flag, or none: false when one of them has all it may have. */
  take(flags: readonly string[]): boolean {
    if (flags.some((flag) => (this.#running.get(flag) ?? 0) >= this.#limit(flag))) return false;
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

  #limit(flag: string): number {
    return this.#slow.has(flag) ? SLOTS_PER_SLOW_FLAG : SLOTS_PER_FLAG;
  }
}
