/**
 * Facts that could not be taken in. Media repeats a fact until it is acked, and those of one leg go in order: one that can never
 * be taken would hold back everything its leg has to say, its end included. It is hopeless once so many tries have failed, each
 * while the database worked and for no reason that passes.
 */
import { Prisma } from '@clarion/db';
import { isRace } from '@clarion/core/call/engine/step-call';

/** Media pauses for half a second in between. */
export const MAX_FACT_TRIES = 5;
/** Of a fact that another node took in the end, the count stays: the oldest are forgotten. */
const MAX_COUNTED = 1_000;
/** Prisma's words for: no connection (P1…), no free connection in time, no transaction in time, a lost transaction. */
const PASSING = /^(P1\d{3}|P2024|P2028|P2034)$/;

export class FailedFacts {
  readonly #databaseWorks: () => Promise<boolean>;
  readonly #tries = new Map<string, number>();

  /** @param databaseWorks whether the database takes a change now */
  constructor(databaseWorks: () => Promise<boolean>) {
    this.#databaseWorks = databaseWorks;
  }

  taken(factId: string): void {
    this.#tries.delete(factId);
  }

  /** One more try has failed. @returns true when no further one is worth it */
  async isHopeless(factId: string, error: unknown): Promise<boolean> {
    if (passes(error) || !(await this.#databaseWorks())) return false;
    const tries = (this.#tries.get(factId) ?? 0) + 1;
    this.#tries.delete(factId);
    if (tries >= MAX_FACT_TRIES) return true;
    this.#tries.set(factId, tries);
    if (this.#tries.size > MAX_COUNTED) {
      const [oldest] = this.#tries.keys();
      if (oldest !== undefined) this.#tries.delete(oldest);
    }
    return false;
  }
}

const passes = (error: unknown): boolean =>
  isRace(error) ||
  error instanceof Prisma.PrismaClientInitializationError ||
  (error instanceof Prisma.PrismaClientKnownRequestError && PASSING.test(error.code));
