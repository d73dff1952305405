/** Wakes at the times of retries that this worker put off, so that they are not late by as much as a poll takes. */

/** Retries in one such span wake once, at its end: a database whose clock is this little behind still finds them due. */
const SPAN_MS = 20;
/** Of a longer wait, the poll is exact enough; so there are never more than a few thousand timers. */
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
