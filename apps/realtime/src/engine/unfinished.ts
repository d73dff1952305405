/**
 * Counts work that has begun and not finished. Work that takes too long is not counted any more: whoever waits for the count to become lower
 * would otherwise wait for ever for work that hangs.
 */
export class Unfinished {
  readonly #countedForMs: number;
  readonly #nowMs: () => number;
  /** When each began, earliest first. */
  readonly #begun = new Map<symbol, number>();

  /** @param nowMs a monotonic clock */
  constructor(countedForMs: number, nowMs: () => number = () => performance.now()) {
    this.#countedForMs = countedForMs;
    this.#nowMs = nowMs;
  }

  get count(): number {
    const since = this.#nowMs() - this.#countedForMs;
    for (const [work, begunAtMs] of this.#begun) {
      if (begunAtMs > since) break;
      this.#begun.delete(work);
    }
    return this.#begun.size;
  }

  /** @returns to be called when the work has finished */
  begin(): () => void {
    const work = Symbol('unfinished work');
    this.#begun.set(work, this.#nowMs());
    return () => this.#begun.delete(work);
  }
}
