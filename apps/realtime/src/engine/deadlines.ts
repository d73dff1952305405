/**
 * Steps calls at their stored deadlines. Every second (background/sweeps.ts) this node reads the deadlines that are near for the calls whose
 * lease it holds, and timers fire them to the millisecond. Any node fires the overdue deadlines of a dead one.
 */
import { nextDeadline } from '@clarion/core/call-machine/machine';
import type { Due } from '@clarion/core/call-engine/sweep';
import type { Deps } from '../deps.ts';
import type { EngineRunner } from './runner.ts';

/** How far ahead timers are set; longer than the interval between two reads. */
export const DEADLINE_HORIZON_MS = 1_500;
/** A deadline this late is fired by any node, with or without the lease. */
export const OVERDUE_MS = 2_000;
/** Timers may fire a millisecond early, and a tick before its deadline changes nothing. */
const TIMER_EARLY_MS = 2;

export class Deadlines {
  readonly #deps: Deps;
  readonly #engine: EngineRunner;
  readonly #timers = new Map<number, { at: number; timer: NodeJS.Timeout }>();
  #closed = false;

  constructor(deps: Deps, engine: EngineRunner) {
    this.#deps = deps;
    this.#engine = engine;
    engine.onDeadline = (callId, at) => this.#arm(callId, at);
  }

  schedule(due: readonly Due[]): void {
    for (const { id, at } of due) this.#arm(id, at);
  }

  stop(): void {
    this.#closed = true;
    for (const { timer } of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #arm(callId: number, at: number): void {
    const wait = at - this.#deps.now().getTime();
    if (this.#closed || wait > DEADLINE_HORIZON_MS) return;
    const armed = this.#timers.get(callId);
    if (armed && armed.at <= at) return;
    clearTimeout(armed?.timer);
    const timer = setTimeout(() => void this.#fire(callId), Math.max(0, wait) + TIMER_EARLY_MS);
    this.#timers.set(callId, { at, timer });
  }

  async #fire(callId: number): Promise<void> {
    this.#timers.delete(callId);
    try {
      const stepped = await this.#engine.step(callId, { type: 'tick' });
      // The deadline was postponed after the timer was set, perhaps to before the next read.
      const deadline = stepped.kind === 'stepped' && !stepped.changed ? nextDeadline(stepped.state) : null;
      if (deadline !== null) this.#arm(callId, deadline);
    } catch (error) {
      // The deadline is still stored: the next read schedules it again.
      this.#deps.log.warn({ err: error, callId }, 'failed to step a call at its deadline');
    }
  }
}
