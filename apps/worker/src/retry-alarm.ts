/** Wakes the runner when retries that this worker scheduled are due, so that they do not wait for the next poll. */

/** Retries within one such span wake the runner once, at its end. This also allows for a database clock that is slightly behind. */
const SPAN_MS = 20;
/** Retries further away are left to polling, which limits the timers to a few thousand. */
const LONGEST_MS = 60_000;

export class RetryAlarm {
  readonly #timers = new Map<number, NodeJS.Timeout>();
  readonly #wake: () => void;

  constructor(wake: () => void) {
    this.#wake = wake;
  }

  set(at: Date, now: Date): void {
    const span = Math.floor(at.getTime() / SPAN_MS) + 1;
    const wait = span * SPAN_MS - now.getTime();
    if (wait > LONGEST_MS || this.#timers.has(span)) return;
    const ring = () => {
      this.#timers.delete(span);
      this.#wake();
    };
    this.#timers.set(span, setTimeout(ring, Math.max(0, wait)));
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
