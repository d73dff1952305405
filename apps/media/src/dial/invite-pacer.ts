/** Paces the INVITEs of trunks whose carriers allow a number of calls per second: a token bucket per trunk. */

/** A call that would have to wait longer is not placed on the trunk: its agent hears nothing meanwhile. Ms. */
export const MAX_PACING_MS = 3_000;
/** Number of trunks; the oldest are evicted, and start again with a full bucket. */
const MAX_TRUNKS = 10_000;

export class InvitePacer {
  readonly #now: () => number;
  /** When the bucket of each trunk is empty: the time up to which its tokens are spent. */
  readonly #spentUntil = new Map<number, number>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Reserves the next INVITE of a trunk. A bucket holds the tokens of one second.
   *
   * @returns how long to wait before sending it, in ms; null if that is too long, and nothing is reserved
   */
  reserve(trunkId: number, perSecond: number): number | null {
    const now = this.#now();
    const stepMs = 1_000 / perSecond;
    const spent = Math.max(this.#spentUntil.get(trunkId) ?? 0, now - 1_000);
    const waitMs = Math.max(0, spent + stepMs - now);
    if (waitMs > MAX_PACING_MS) return null;
    this.#spentUntil.delete(trunkId);
    this.#spentUntil.set(trunkId, spent + stepMs);
    for (const oldest of this.#spentUntil.keys()) {
      if (this.#spentUntil.size <= MAX_TRUNKS) break;
      this.#spentUntil.delete(oldest);
    }
    return waitMs;
  }
}
