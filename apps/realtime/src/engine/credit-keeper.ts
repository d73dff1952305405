/**
 * Extends the credit of running calls before it ends, and ends a call in the second in which its credit does. Every second one node reads the
 * calls that are paid for a short time only (background/sweeps.ts); its timers end them to the millisecond. If it dies, the next node reads
 * them as well. A call ends only after a last attempt to extend it, so a top-up counts until then.
 */
import { extendCredit } from '@clarion/core/billing/extend-credit';
import { LONGEST_TURN_MS } from '@clarion/core/call-engine/sweep';
import type { Due } from '@clarion/core/call-engine/sweep';
import type { CallEngine } from '../call-engine.ts';
import type { Deps } from '../deps.ts';

/** How far ahead timers are set; longer than the interval between two reads of the cluster. */
const CREDIT_HORIZON_MS = LONGEST_TURN_MS + 500;
/** Timers may fire a millisecond early. */
const TIMER_EARLY_MS = 2;

export class CreditKeeper {
  readonly #deps: Deps;
  readonly #engine: Pick<CallEngine, 'step'>;
  readonly #timers = new Map<number, { at: number; timer: NodeJS.Timeout }>();
  /** Calls to be extended together when the extension in progress is done. */
  readonly #wanted = new Set<number>();
  #extending: Promise<void> | null = null;
  #closed = false;

  constructor(deps: Deps, engine: Pick<CallEngine, 'step'>) {
    this.#deps = deps;
    this.#engine = engine;
  }

  schedule(due: readonly Due[]): void {
    for (const { id } of due) this.extend(id);
  }

  /** In the background, with all other calls for which it is requested meanwhile. */
  extend(callId: number): void {
    if (this.#closed) return;
    this.#wanted.add(callId);
    this.#extending ??= this.#extendWanted();
  }

  async stop(): Promise<void> {
    this.#closed = true;
    for (const { timer } of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    await this.#extending;
  }

  async #extendWanted(): Promise<void> {
    while (this.#wanted.size > 0) {
      const callIds = [...this.#wanted];
      this.#wanted.clear();
      try {
        for (const [callId, end] of await this.#extended(callIds)) this.#arm(callId, end);
      } catch (error) {
        // The moment is still stored: the next read finds it.
        this.#deps.log.warn({ err: error }, 'failed to extend the credit of calls');
      }
    }
    this.#extending = null;
  }

  #extended(callIds: readonly number[]): Promise<Map<number, number>> {
    return extendCredit(this.#deps.db, callIds, this.#deps.now());
  }

  #arm(callId: number, at: number): void {
    const wait = at - this.#deps.now().getTime();
    const armed = this.#timers.get(callId);
    if (this.#closed || armed?.at === at) return;
    clearTimeout(armed?.timer);
    this.#timers.delete(callId);
    if (wait > CREDIT_HORIZON_MS) return;
    const timer = setTimeout(() => void this.#fire(callId), Math.max(0, wait) + TIMER_EARLY_MS);
    this.#timers.set(callId, { at, timer });
  }

  async #fire(callId: number): Promise<void> {
    this.#timers.delete(callId);
    try {
      const end = (await this.#extended([callId])).get(callId);
      if (end === undefined) return;
      if (end > this.#deps.now().getTime()) this.#arm(callId, end);
      else await this.#engine.step(callId, { type: 'credit-exhausted' }, new Date(end));
    } catch (error) {
      this.#deps.log.warn({ err: error, callId }, 'failed to end a call whose credit is used up');
    }
  }
}
