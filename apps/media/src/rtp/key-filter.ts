/**
 * Counts a key once that a far end reports both as a telephone event (RFC 4733) and in a SIP INFO. Each report of one kind
 * matches at most one of the other, so that the same key pressed twice still counts twice. Pure: time is passed as `nowMs`.
 */

export type KeyReport = 'event' | 'info';

/** INFO is sent when the key is released, at the end of the event, and takes another path. */
export const SAME_KEY_MS = 1_000;

interface Told {
  digit: string;
  by: KeyReport;
  atMs: number;
}

export class KeyFilter {
  /** Reports without a counterpart so far, oldest first. */
  #alone: Told[] = [];

  /** True when this report counts as a new key. */
  isNew(digit: string, by: KeyReport, nowMs: number): boolean {
    this.#alone = this.#alone.filter(({ atMs }) => nowMs - atMs < SAME_KEY_MS);
    const counterpart = this.#alone.findIndex((told) => told.digit === digit && told.by !== by);
    if (counterpart >= 0) {
      this.#alone.splice(counterpart, 1);
      return false;
    }
    this.#alone.push({ digit, by, atMs: nowMs });
    return true;
  }

  /** The key that an event reported is still held. */
  held(digit: string, nowMs: number): void {
    const open = this.#alone.findLast((told) => told.digit === digit && told.by === 'event');
    if (open && nowMs - open.atMs < SAME_KEY_MS) open.atMs = nowMs;
  }
}
