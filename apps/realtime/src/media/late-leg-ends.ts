/**
 * Stores the ends of legs whose calls have ended, those that arrive within half a second with one statement. Their statistics describe a call that
 * is over, so nobody waits for them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { keepLateLegEnds } from '@clarion/core/call-engine/late-leg-end';
import type { LegEnded } from '@clarion/core/call-engine/late-leg-end';
import type { Deps } from '../deps.ts';

/** How long an end waits for others. Media keeps it until it is stored. */
const BATCH_MS = 500;

interface Batch {
  ended: LegEnded[];
  /** Rejects if the statement failed. */
  stored: Promise<void>;
}

export class LateLegEnds {
  readonly #deps: Pick<Deps, 'db'>;
  #open: Batch | null = null;

  constructor(deps: Pick<Deps, 'db'>) {
    this.#deps = deps;
  }

  /** Resolves once it is stored. @throws if it cannot be */
  async keep(ended: LegEnded): Promise<void> {
    this.#open ??= this.#next();
    const batch = this.#open;
    batch.ended.push(ended);
    try {
      await batch.stored;
    } catch (error) {
      // One that can never be stored must not keep the others from being stored.
      if (batch.ended.length === 1) throw error;
      await keepLateLegEnds(this.#deps.db, [ended]);
    }
  }

  #next(): Batch {
    const ended: LegEnded[] = [];
    const write = async () => {
      await sleep(BATCH_MS);
      this.#open = null;
      await keepLateLegEnds(this.#deps.db, ended);
    };
    return { ended, stored: write() };
  }
}
