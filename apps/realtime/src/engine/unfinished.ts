/**
 * Counts work that has begun and not finished. Work that takes too long is not counted any more: whoever waits for the count to become lower
 * would otherwise wait for ever for work that hangs. Such work is still known until it ends: when it is begun again meanwhile, it does not
 * count anew.
 */
export class Unfinished {
  readonly #countedForMs: number;
  readonly #onLower: () => void;
  /** By key; the timer is null when the work has stopped counting. */
  readonly #begun = new Map<string, { runs: number; timer: NodeJS.Timeout | null }>();
  #count = 0;

  /** @param onLower called whenever the count has become lower */
  constructor(countedForMs: number, onLower: () => void) {
    this.#countedForMs = countedForMs;
    this.#onLower = onLower;
  }

  get count(): number {
    return this.#count;
  }

  /** @returns to be called once, when this run of the work has finished */
  begin(key: string): () => void {
    const work = this.#begun.get(key) ?? { runs: 0, timer: null };
    if (work.runs === 0) {
      this.#begun.set(key, work);
      this.#count += 1;
      work.timer = setTimeout(() => this.#stopCounting(work), this.#countedForMs).unref();
    }
    work.runs += 1;
    return () => {
      work.runs -= 1;
      if (work.runs > 0) return;
      this.#begun.delete(key);
      this.#stopCounting(work);
    };
  }

  #stopCounting(work: { timer: NodeJS.Timeout | null }): void {
    if (!work.timer) return;
    clearTimeout(work.timer);
    work.timer = null;
    this.#count -= 1;
    this.#onLower();
  }
}
