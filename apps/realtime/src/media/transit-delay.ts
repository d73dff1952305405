/**
 * How much longer than usual a message from one media process took. The clocks of two processes differ by an unknown constant, and the
 * difference between sending and receiving times varies with the transit time only: a busy process reads its socket late. The least
 * difference of the last minute is that of a message that was read immediately.
 */

/** Monotonic clocks differ by up to 100 ppm, that is 6 ms in a minute. */
const WINDOW_MS = 60_000;
/** A longer delay means that the clock of the sender's host was stopped, not that the message was in transit. */
const MAX_DELAY_MS = 30_000;

export class TransitDelay {
  #begunMs = -Infinity;
  /** The least differences in the current half of the window and in the previous half. */
  #least = Infinity;
  #previousLeast = Infinity;

  /**
   * @param sentMs by the sender's monotonic clock
   * @param receivedMs by ours
   * @returns the delay beyond the usual transit time, in milliseconds
   */
  of(sentMs: number, receivedMs: number): number {
    const difference = receivedMs - sentMs;
    const age = receivedMs - this.#begunMs;
    if (age > WINDOW_MS / 2) {
      this.#previousLeast = age > WINDOW_MS ? Infinity : this.#least;
      this.#least = Infinity;
      this.#begunMs = receivedMs;
    }
    this.#least = Math.min(this.#least, difference);
    const delay = difference - Math.min(this.#least, this.#previousLeast);
    return delay > MAX_DELAY_MS ? 0 : delay;
  }
}
