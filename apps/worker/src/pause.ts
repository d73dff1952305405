/** A pause that can be shortened while it lasts. */
export class Pause {
  readonly #minimumMs: number;
  #startedAtMs = 0;
  #end: (() => void) | null = null;
  #timer: NodeJS.Timeout | undefined;

  /** @param minimumMs the length of a shortened pause */
  constructor(minimumMs: number) {
    this.#minimumMs = minimumMs;
  }

  /** One at a time. */
  async wait(ms: number): Promise<void> {
    this.#startedAtMs = performance.now();
    await new Promise<void>((resolve) => {
      this.#end = resolve;
      this.#timer = setTimeout(resolve, ms);
    });
    this.#end = null;
  }

  /** Ends the current pause once it has lasted for the minimum. */
  shorten(): void {
    if (!this.#end) return;
    clearTimeout(this.#timer);
    const leftMs = this.#startedAtMs + this.#minimumMs - performance.now();
    this.#timer = setTimeout(this.#end, Math.max(0, Math.ceil(leftMs)));
  }
}
