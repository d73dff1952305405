/**
 * Stored deadlines become ticks. Every second the ones that are near are read for the calls whose lease this node holds;
 * timers fire them to the millisecond. A node that died leaves its overdue ones to whoever sees them.
 */
import { nextDeadline } from '@clarion/core/call/machine';
import type { Deps } from '../deps.ts';
import type { Engine } from './runner.ts';

/** How far ahead timers are set; longer than the pause between two looks. */
const HORIZON_MS = 1_500;
/** A deadline this late is fired by any node, lease or not. */
const OVERDUE_MS = 2_000;
/** Timers may fire a millisecond early, and a tick before its deadline changes nothing. */
const TIMER_EARLY_MS = 2;
const MAX_DEADLINES_PER_LOOK = 1_000;

export class Deadlines {
  readonly #deps: Deps;
  readonly #engine: Engine;
  readonly #timers = new Map<number, { at: number; timer: NodeJS.Timeout }>();
  #closed = false;

  constructor(deps: Deps, engine: Engine) {
    this.#deps = deps;
    this.#engine = engine;
    engine.onDeadline = (callId, at) => this.#arm(callId, at);
  }

  async look(): Promise<void> {
    const now = this.#deps.now().getTime();
    const due = await this.#deps.db.liveCall.findMany({
      where: {
        OR: [
          { leaseNodeId: this.#deps.nodeId, nextDeadlineAt: { lte: new Date(now + HORIZON_MS) } },
          { nextDeadlineAt: { lte: new Date(now - OVERDUE_MS) } },
        ],
      },
      select: { callId: true, nextDeadlineAt: true },
      orderBy: { nextDeadlineAt: 'asc' },
      take: MAX_DEADLINES_PER_LOOK,
    });
    for (const { callId, nextDeadlineAt } of due)
      if (nextDeadlineAt) this.#arm(callId, nextDeadlineAt.getTime());
  }

  stop(): void {
    this.#closed = true;
    for (const { timer } of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #arm(callId: number, at: number): void {
    const wait = at - this.#deps.now().getTime();
    if (this.#closed || wait > HORIZON_MS) return;
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
      // Put off since the timer was set: the new moment may come before the next look.
      const deadline = stepped.kind === 'stepped' && !stepped.changed ? nextDeadline(stepped.state) : null;
      if (deadline !== null) this.#arm(callId, deadline);
    } catch (error) {
      // The deadline is still stored: the next look fires it again.
      this.#deps.log.warn({ err: error, callId }, 'failed to process a deadline');
    }
  }
}
