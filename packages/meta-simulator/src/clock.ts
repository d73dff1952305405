/** The simulator's time: the system's, plus what was advanced. Advancing runs every timer that becomes due, in order. */

/** The longest time that setTimeout can wait; it fires at once for a longer one. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

export class Clock {
  #offset = 0;
  readonly #timers = new Set<Timer>();
  #handle: NodeJS.Timeout | null = null;

  /** Milliseconds since 1970. */
  now(): number {
    return Date.now() + this.#offset;
  }

  /** In whole seconds, as in Meta's payloads. */
  seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  /** Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void {
    const timer = { at: this.now() + ms, run };
    this.#timers.add(timer);
    this.#arm();
    return () => {
      this.#timers.delete(timer);
    };
  }

  advance(ms: number): void {
    const target = this.now() + ms;
    for (;;) {
      const next = this.#next();
      if (next === null || next.at > target) break;
      // A timer sees the time for which it was set, and may set another one.
      this.#offset += Math.max(0, next.at - this.now());
      this.#timers.delete(next);
      next.run();
    }
    this.#offset += Math.max(0, target - this.now());
    this.#arm();
  }

  close(): void {
    this.#timers.clear();
    if (this.#handle !== null) clearTimeout(this.#handle);
    this.#handle = null;
  }

  #next(): Timer | null {
    let first: Timer | null = null;
    for (const timer of this.#timers) if (first === null || timer.at < first.at) first = timer;
    return first;
  }

  #arm(): void {
    if (this.#handle !== null) clearTimeout(this.#handle);
    const next = this.#next();
    this.#handle = null;
    if (next === null) return;
    const waitMs = Math.min(MAX_TIMEOUT_MS, Math.max(0, next.at - this.now()));
    this.#handle = setTimeout(() => this.advance(0), waitMs);
  }
}
