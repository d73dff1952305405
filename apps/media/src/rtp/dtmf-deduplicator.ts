/**
 * Detects that a remote party reports the same key press both as a telephone event (RFC 4733) and in a SIP INFO. Each
 * report of one kind matches at most one of the other kind, so the same key pressed twice counts twice. Pure: time is
 * passed as `nowMs`.
 */

export type DtmfSource = 'event' | 'info';

/** INFO is sent when the key is released, at the end of the event, and takes another path. */
export const SAME_PRESS_MS = 1_000;

interface Report {
  digit: string;
  source: DtmfSource;
  atMs: number;
}

export class DtmfDeduplicator {
  /** Reports without a counterpart so far, oldest first. */
  #unmatched: Report[] = [];

  /** Returns whether this report counts as a new key press. */
  isNew(digit: string, source: DtmfSource, nowMs: number): boolean {
    this.#unmatched = this.#unmatched.filter(({ atMs }) => nowMs - atMs < SAME_PRESS_MS);
    const counterpart = this.#unmatched.findIndex(
      (report) => report.digit === digit && report.source !== source,
    );
    if (counterpart >= 0) {
      this.#unmatched.splice(counterpart, 1);
      return false;
    }
    this.#unmatched.push({ digit, source, atMs: nowMs });
    return true;
  }

  /** The key of an earlier event is still pressed. */
  stillPressed(digit: string, nowMs: number): void {
    const open = this.#unmatched.findLast((report) => report.digit === digit && report.source === 'event');
    if (open && nowMs - open.atMs < SAME_PRESS_MS) open.atMs = nowMs;
  }
}
