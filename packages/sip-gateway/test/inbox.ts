/** Messages that arrive, for a test that waits for one of them. */

/** How long a test waits before it fails with what did arrive. Ms. */
const WAIT_MS = 2_000;

export class Inbox {
  readonly #name: string;
  readonly #items: string[] = [];
  #waiting: (() => void)[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  put(item: string): void {
    this.#items.push(item);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  /** Messages that were not taken yet. */
  get rest(): readonly string[] {
    return this.#items;
  }

  /** Removes and returns the first message that contains `part`. Rejects with what did arrive. */
  async take(part: string): Promise<string> {
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      const at = this.#items.findIndex((item) => item.includes(part));
      if (at >= 0) return this.#items.splice(at, 1)[0] ?? '';
      const left = deadline - performance.now();
      if (left <= 0)
        throw new Error(`${this.#name}: no ${JSON.stringify(part)} in ${JSON.stringify(this.#items)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }
}
