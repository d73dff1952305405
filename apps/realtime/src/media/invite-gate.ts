/**
 * Decides when the next INVITE is decided, in order of arrival: few concurrently, so that steps of running calls always find a connection to
 * the database, and no faster than calls are dispatched. A queue makes its offers one after another, while decisions run concurrently;
 * without this backpressure calls would be admitted faster than they are offered, and would wait for it as long as the overload lasts. A call that waits because
 * all agents are busy has been dispatched. A surge waits for its turn. If INVITEs keep waiting, new ones are refused on arrival.
 */
import { INVITE_DECISION_TIMEOUT_MS } from '@clarion/protocol/media';

/**
 * Decisions at a time, of the 15 connections of the pool (packages/db POOL_CONNECTIONS). The database's function `load_lines` reads as many idle
 * agents, so that each call finds one of its own.
 */
const MAX_DECISIONS = 4;
/**
 * INVITEs that are being decided and calls whose dispatch has not finished. Enough for a dispatch to make most offers that it makes from one read
 * (core FEW); few enough that the last one is offered within half a second by a node that makes only 30 offers a second.
 */
const MAX_IN_SET_UP = 16;
/** A surge: so many INVITEs since the queue began are admitted if they can be decided in time. Media's limit is reached first. */
const SURGE_INVITES = 100;
const SURGE_WAIT_MS = INVITE_DECISION_TIMEOUT_MS * 0.75;
/** The longest expected wait when the queue lasts: half of the 500 ms from INVITE to offer that callers do not notice. */
const LASTING_WAIT_MS = 250;
/** A queue that returns within this time has not ended. */
const CALM_MS = 1_000;
/** Time between two decisions before it has been measured. */
const INITIAL_MS_EACH = 10;
/** Weight of the latest decision in the average: about the last twenty count, because several may end together. */
const LATEST_WEIGHT = 0.05;

interface InviteGateOptions {
  /** How many calls wait for the end of a dispatch. Call `proceed` whenever it has become lower. */
  undispatched: () => number;
  /** A monotonic clock. */
  nowMs?: () => number;
}

export class InviteGate {
  readonly #undispatched: () => number;
  readonly #nowMs: () => number;
  readonly #waiting: (() => void)[] = [];
  #deciding = 0;
  #msEach = INITIAL_MS_EACH;
  /** Of the latest decision, if others waited for theirs since then. */
  #decidedAtMs: number | null = null;
  /** How many INVITEs had to wait since the queue began. */
  #surge = 0;
  #queueEmptySinceMs = -CALM_MS;

  constructor({ undispatched, nowMs = () => performance.now() }: InviteGateOptions) {
    this.#undispatched = undispatched;
    this.#nowMs = nowMs;
  }

  /** Whether one more INVITE would have to wait too long. */
  isFull(): boolean {
    if (this.#waiting.length === 0 && this.#mayDecide()) return false;
    const isSurge = this.#surge < SURGE_INVITES || (this.#waiting.length === 0 && this.#isCalm);
    const expectedWaitMs = (this.#waiting.length + 1) * this.#msEach;
    return expectedWaitMs > (isSurge ? SURGE_WAIT_MS : LASTING_WAIT_MS);
  }

  /** Runs `decide` when its turn has come. */
  async run(decide: () => Promise<void>): Promise<void> {
    if (this.#waiting.length === 0 && this.#mayDecide()) this.#deciding += 1;
    else await this.#turn();
    try {
      await decide();
    } finally {
      this.#deciding -= 1;
      this.#measure();
      this.proceed();
    }
  }

  /** Starts the decisions on the INVITEs that have waited longest, if there is room. */
  proceed(): void {
    while (this.#waiting.length > 0 && this.#mayDecide()) {
      this.#deciding += 1;
      this.#waiting.shift()?.();
      if (this.#waiting.length === 0) this.#queueEmptySinceMs = this.#nowMs();
    }
  }

  #mayDecide(): boolean {
    return this.#deciding < MAX_DECISIONS && this.#deciding + this.#undispatched() < MAX_IN_SET_UP;
  }

  get #isCalm(): boolean {
    return this.#nowMs() - this.#queueEmptySinceMs >= CALM_MS;
  }

  #turn(): Promise<void> {
    if (this.#waiting.length === 0 && this.#isCalm) this.#surge = 0;
    this.#surge += 1;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** How long a single decision takes does not show how many are possible. */
  #measure(): void {
    const nowMs = this.#nowMs();
    if (this.#decidedAtMs !== null)
      this.#msEach += (nowMs - this.#decidedAtMs - this.#msEach) * LATEST_WEIGHT;
    this.#decidedAtMs = this.#waiting.length > 0 ? nowMs : null;
  }
}
