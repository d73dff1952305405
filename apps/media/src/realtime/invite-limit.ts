/**
 * Estimates how long a realtime node would take to decide on one more INVITE, so that INVITEs which would wait too long are rejected
 * immediately instead of by the node that is late. The estimate needs nothing from the node: it is the number of INVITEs that wait there times
 * the average time between two decisions while others wait. The node has a limit of its own (apps/realtime invite-gate.ts), which is a
 * little higher: it is for media nodes that do not know how many INVITEs of others wait there.
 */
import { INVITE_DECISION_TIMEOUT_MS } from '@clarion/protocol/media';

/**
 * The longest expected wait during a surge: half of the time after which media gives up (INVITE_DECISION_TIMEOUT_MS), because the calls of the
 * surge slow down the decisions that follow.
 */
const SURGE_WAIT_MS = INVITE_DECISION_TIMEOUT_MS / 2;
/** INVITEs that have been waiting for longer than this are no surge. */
const SURGE_MS = 2_000;
/** The longest expected wait when INVITEs keep waiting. Lower than the limit of the node, so that this one is reached first. */
const LASTING_WAIT_MS = 200;
/** So many INVITEs are decided at once and do not wait (apps/realtime MAX_DECISIONS). */
const AT_ONCE = 4;
/** INVITEs that wait again within this time have not stopped waiting. */
const CALM_MS = 1_000;
/** Time between two decisions before it has been measured. */
const INITIAL_MS_EACH = 15;
/** Weight of the latest decision in the average: about the last twenty count, because several may arrive together. */
const LATEST_WEIGHT = 0.05;

export class InviteLimit {
  readonly #nowMs: () => number;
  #undecided = 0;
  #msEach = INITIAL_MS_EACH;
  #waitingSinceMs = 0;
  #lastWaitedMs = -CALM_MS;
  /** Of the latest decision, if others waited for theirs since then. */
  #decidedAtMs: number | null = null;

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Whether one more INVITE would have to wait too long. */
  isFull(): boolean {
    if (this.#undecided < AT_ONCE) return false;
    const lasting = this.#undecided > AT_ONCE && this.#nowMs() - this.#waitingSinceMs >= SURGE_MS;
    const expectedMs = (this.#undecided + 1) * this.#msEach;
    return expectedMs > (lasting ? LASTING_WAIT_MS : SURGE_WAIT_MS);
  }

  /** An INVITE is sent to the node. Call the returned function once the node has decided or has not decided in time. */
  ask(): () => void {
    this.#undecided += 1;
    if (this.#undecided === AT_ONCE + 1 && this.#nowMs() - this.#lastWaitedMs >= CALM_MS)
      this.#waitingSinceMs = this.#nowMs();
    return () => {
      const nowMs = this.#nowMs();
      // How long a single decision takes does not show how many are possible.
      if (this.#decidedAtMs !== null)
        this.#msEach += (nowMs - this.#decidedAtMs - this.#msEach) * LATEST_WEIGHT;
      if (this.#undecided > AT_ONCE) this.#lastWaitedMs = nowMs;
      this.#undecided -= 1;
      this.#decidedAtMs = this.#undecided >= AT_ONCE ? nowMs : null;
    };
  }
}
