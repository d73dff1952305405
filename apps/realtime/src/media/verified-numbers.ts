/**
 * Numbers that a call has reached, to be stored as verified. Each is stored once and then remembered for a while, so that the calls of a
 * busy line add no statement; what is remembered is bounded, because a number may be verified anew after it went to another tenant.
 */
import type { CalledNumber } from '@clarion/core/call-engine/create-inbound-call';
import { verifyNumbers } from '@clarion/core/number/verify-numbers';
import type { ReachedNumber } from '@clarion/core/number/verify-numbers';
import type { Deps } from '../deps.ts';

const STORE_AFTER_MS = 1_000;
const REMEMBERED_MS = 10 * 60_000;
const MAX_REMEMBERED = 10_000;

export class VerifiedNumbers {
  readonly #deps: Pick<Deps, 'db' | 'log' | 'now'>;
  /** When the memory is emptied. */
  #rememberedUntil = 0;
  readonly #remembered = new Set<string>();
  readonly #reached: ReachedNumber[] = [];
  #timer: NodeJS.Timeout | null = null;
  #storing: Promise<void> = Promise.resolve();

  constructor(deps: Pick<Deps, 'db' | 'log' | 'now'>) {
    this.#deps = deps;
  }

  reached(called: CalledNumber): void {
    const at = this.#deps.now();
    if (at.getTime() >= this.#rememberedUntil || this.#remembered.size >= MAX_REMEMBERED) {
      this.#remembered.clear();
      this.#rememberedUntil = at.getTime() + REMEMBERED_MS;
    }
    const key = `${called.channelId} ${called.trunkId} ${called.number}`;
    if (this.#remembered.has(key)) return;
    this.#remembered.add(key);
    this.#reached.push({ ...called, at });
    this.#timer ??= setTimeout(() => void this.flush(), STORE_AFTER_MS);
  }

  async flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const reached = this.#reached.splice(0);
    if (reached.length > 0) this.#storing = this.#storing.then(() => this.#store(reached));
    await this.#storing;
  }

  async #store(reached: readonly ReachedNumber[]): Promise<void> {
    try {
      await verifyNumbers(this.#deps.db, reached);
    } catch (error) {
      // The next call of each number tries again.
      this.#remembered.clear();
      this.#deps.log.warn({ err: error, numbers: reached.length }, 'failed to store verified numbers');
    }
  }
}
