/**
 * Facts that could not be processed. Media repeats a fact until it is acked, and sends the facts of one leg in order: one that can
 * never be processed would block all later facts of its leg, including its end. A fact is set aside after MAX_FACT_TRIES failures
 * that happened while the database worked and were not temporary.
 */
import { Prisma } from '@clarion/db';
import { isConflict } from '@clarion/core/retry-on-conflict';
import { isUnavailable } from '@clarion/core/sql-state';

/** Media waits half a second between attempts. */
export const MAX_FACT_TRIES = 5;
/** A counter is left over when another node processes the fact, so the oldest are removed. */
const MAX_COUNTED = 1_000;
/** Prisma's temporary errors: no connection (P1…), pool timeout, transaction timeout, write conflict. */
const TEMPORARY = /^(P1\d{3}|P2024|P2028|P2034)$/;

export class FailedFacts {
  readonly #databaseWorks: () => Promise<boolean>;
  readonly #tries = new Map<string, number>();

  /** @param databaseWorks whether the database accepts a write now */
  constructor(databaseWorks: () => Promise<boolean>) {
    this.#databaseWorks = databaseWorks;
  }

  processed(factId: string): void {
    this.#tries.delete(factId);
  }

  /** Counts a failed attempt. @returns true when no further attempt is worthwhile */
  async isHopeless(factId: string, error: unknown): Promise<boolean> {
    if (isTemporary(error) || !(await this.#databaseWorks())) return false;
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

export const isTemporary = (error: unknown): boolean =>
  isConflict(error) ||
  isUnavailable(error) ||
  error instanceof Prisma.PrismaClientInitializationError ||
  (error instanceof Prisma.PrismaClientKnownRequestError && TEMPORARY.test(error.code));
