/**
 * Limits how many INVITEs are decided concurrently, in order of arrival, so that steps of running calls always find a connection to the
 * database. A surge waits for its turn. If the queue lasts, new INVITEs are refused on arrival instead of after a wait.
 */

/** Decisions at a time, of the 15 connections of the pool (packages/db POOL_CONNECTIONS). */
const MAX_DECISIONS = 4;
/** The longest expected wait during a surge: media gives up after 4 s (INVITE_DECISION_TIMEOUT_MS), and the decision takes time too. */
const SURGE_WAIT_MS = 2_500;
/** A queue that has existed for longer than this is no surge. */
const SURGE_MS = 2_000;
/** The longest expected wait when the queue lasts: half of the 500 ms from INVITE to offer that callers do not notice. */
const LASTING_WAIT_MS = 250;
/** A queue that returns within this time has not ended. */
const CALM_MS = 1_000;
/** Duration of a decision before the first one has been measured. */
const INITIAL_DECISION_MS = 20;
/** Weight of the latest decision in the average duration: about the last ten count. */
const LATEST_WEIGHT = 0.1;

export class InviteGate {
  readonly #nowMs: () => number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #decisionMs = INITIAL_DECISION_MS;
  #queueSinceMs = 0;
  #queueEmptySinceMs = -CALM_MS;

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Whether one more INVITE would have to wait too long. */
  isFull(): boolean {
    if (this.#running < MAX_DECISIONS) return false;
    const lasting = this.#waiting.length > 0 && this.#nowMs() - this.#queueSinceMs >= SURGE_MS;
    const expectedWaitMs = ((this.#waiting.length + 1) * this.#decisionMs) / MAX_DECISIONS;
    return expectedWaitMs > (lasting ? LASTING_WAIT_MS : SURGE_WAIT_MS);
  }

  /** Runs `decide` when its turn has come. */
  async run(decide: () => Promise<void>): Promise<void> {
    if (this.#running < MAX_DECISIONS) this.#running += 1;
    else await this.#turn();
    const startedAtMs = this.#nowMs();
    try {
      await decide();
    } finally {
      const tookMs = this.#nowMs() - startedAtMs;
      this.#decisionMs += (tookMs - this.#decisionMs) * LATEST_WEIGHT;
      this.#next();
    }
  }

  #turn(): Promise<void> {
    const nowMs = this.#nowMs();
    if (this.#waiting.length === 0 && nowMs - this.#queueEmptySinceMs >= CALM_MS) this.#queueSinceMs = nowMs;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The place of a finished decision goes to the INVITE that has waited longest. */
  #next(): void {
    const next = this.#waiting.shift();
    if (!next) {
      this.#running -= 1;
      return;
    }
    if (this.#waiting.length === 0) this.#queueEmptySinceMs = this.#nowMs();
    next();
  }
}
