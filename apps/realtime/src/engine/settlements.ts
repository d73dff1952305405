/**
 * Deletes the outbox rows of effects that have been run, many with one statement. A row that is not deleted before its claim expires, because
 * this process died, is run again by another node: effects are run at least once.
 */
import { settlePending } from '@clarion/core/call-engine/outbox';
import { EFFECT_CLAIM_MS } from '@clarion/core/call-engine/commit';
import type { Deps } from '../deps.ts';

/**
 * Much shorter than a claim, so that only the rows of a dead process are run again; long enough that the steps of a call that ring an agent,
 * answer and connect are settled by one statement, also when calls are rare.
 */
const SETTLE_EVERY_MS = EFFECT_CLAIM_MS / 5;

export class Settlements {
  readonly #deps: Pick<Deps, 'db' | 'log'>;
  #done: bigint[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(deps: Pick<Deps, 'db' | 'log'>) {
    this.#deps = deps;
  }

  add(outboxId: bigint): void {
    this.#done.push(outboxId);
    this.#timer ??= setTimeout(() => void this.flush(), SETTLE_EVERY_MS);
  }

  async flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const outboxIds = this.#done;
    if (outboxIds.length === 0) return;
    this.#done = [];
    try {
      await settlePending(this.#deps.db, outboxIds);
    } catch (error) {
      // The rows still exist and are run again when their claims expire.
      this.#deps.log.warn({ err: error, effects: outboxIds.length }, 'failed to settle effects');
    }
  }
}
