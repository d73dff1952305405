/**
 * Estimates how long a realtime node would take to decide on one more INVITE, so that INVITEs which would wait too long are rejected
 * immediately instead of by the node that is late. The estimate needs nothing from the node: it is the number of INVITEs that wait there times
 * the average time between two decisions while others wait. The node has a limit of its own (apps/realtime invite-gate.ts), which is a
 * little higher: it is for media nodes that do not know how many INVITEs of others wait there.
 */
import { INVITE_DECISION_TIMEOUT_MS } from '@clarion/protocol/media';

/** A surge: so many INVITEs since INVITEs began to wait are sent to the node if it can decide on them in time. */
const SURGE_INVITES = 100;
/** Half of the time after which media gives up, because how quickly the node decides is known only after a few decisions. */
const SURGE_WAIT_MS = INVITE_DECISION_TIMEOUT_MS / 2;
/** The longest expected wait when INVITEs keep waiting. Lower than the limit of the node, so that this one is reached first. */
const LASTING_WAIT_MS = 200;
/** So many INVITEs are decided at once and do not wait (apps/realtime MAX_DECISIONS). */
const AT_ONCE = 4;
/** INVITEs that wait again within this time have not stopped waiting. */
const CALM_MS = 1_000;
/** Time between two decisions before it has been measured. */
const INITIAL_MS_EACH = 10;
/** So many decisions are measured together, because several may arrive at once. */
const MEASURED = 20;
/** Weight of the previous average, in decisions. Low, so that a node that is slower than expected is noticed within a few decisions. */
const PREVIOUS_WEIGHT = 5;

export class InviteLimit {
  readonly #nowMs: () => number;
  #undecided = 0;
  #previousMsEach = INITIAL_MS_EACH;
  /** How many INVITEs had to wait since INVITEs began to wait. */
  #surge = 0;
  #lastWaitedMs = -CALM_MS;
  /** Decisions while others waited for theirs; null: none waits. */
  #measured: { sinceMs: number; decisions: number } | null = null;

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Whether one more INVITE would have to wait too long. */
  isFull(): boolean {
    if (this.#undecided < AT_ONCE) return false;
    const isSurge = this.#surge < SURGE_INVITES || (this.#undecided === AT_ONCE && this.#isCalm);
    const expectedMs = (this.#undecided + 1) * this.#msEach;
    return expectedMs > (isSurge ? SURGE_WAIT_MS : LASTING_WAIT_MS);
  }

  /** An INVITE is sent to the node. Call the returned function once the node has decided or has not decided in time. */
  ask(): () => void {
    this.#undecided += 1;
    if (this.#undecided === AT_ONCE) this.#measure();
    if (this.#undecided === AT_ONCE + 1 && this.#isCalm) this.#surge = 0;
    if (this.#undecided > AT_ONCE) this.#surge += 1;
    return () => {
      if (this.#undecided >= AT_ONCE) this.#lastWaitedMs = this.#nowMs();
      this.#undecided -= 1;
      if (this.#measured === null) return;
      this.#measured.decisions += 1;
      if (this.#undecided < AT_ONCE) this.#stopMeasuring();
      else if (this.#measured.decisions === MEASURED) this.#measure();
    };
  }

  get #isCalm(): boolean {
    return this.#nowMs() - this.#lastWaitedMs >= CALM_MS;
  }

  /** How long a single decision takes does not show how many are possible, so the time of all of them is divided by their number. */
  get #msEach(): number {
    const { sinceMs, decisions } = this.#measured ?? { sinceMs: this.#nowMs(), decisions: 0 };
    const totalMs = this.#previousMsEach * PREVIOUS_WEIGHT + this.#nowMs() - sinceMs;
    return totalMs / (PREVIOUS_WEIGHT + decisions);
  }

  #measure(): void {
    this.#stopMeasuring();
    this.#measured = { sinceMs: this.#nowMs(), decisions: 0 };
  }

  #stopMeasuring(): void {
    this.#previousMsEach = this.#msEach;
    this.#measured = null;
  }
}
