/**
 * Finds what is due, once a second in one statement (core call-engine/sweep.ts), and hands it on: deadlines, ends of wrap-ups and of paid time to timers,
 * effects that no process is running and waiting queues to the engine.
 */
import { queuesToDispatch } from '@clarion/core/call-engine/dispatch';
import { sweep } from '@clarion/core/call-engine/sweep';
import { EXTEND_AHEAD_MS } from '@clarion/core/ledger/call-credit';
import type { CallEngine } from '../call-engine.ts';
import type { Deps } from '../deps.ts';
import { DEADLINE_HORIZON_MS, OVERDUE_MS } from '../engine/deadlines.ts';
import type { CreditKeeper } from '../engine/credit-keeper.ts';
import type { Deadlines } from '../engine/deadlines.ts';
import { WRAP_UP_HORIZON_MS } from '../engine/wrap-ups.ts';
import type { WrapUps } from '../engine/wrap-ups.ts';
import { PeriodicWork } from '../lib/periodic-work.ts';

interface Parts {
  engine: CallEngine;
  deadlines: Deadlines;
  wrapUps: WrapUps;
  credit: CreditKeeper;
}

export class Sweeps {
  readonly #deps: Deps;
  readonly #parts: Parts;
  readonly #work: PeriodicWork;

  constructor(deps: Deps, parts: Parts) {
    this.#deps = deps;
    this.#parts = parts;
    this.#work = new PeriodicWork(deps.log);
  }

  /** Resolves without waiting for the effects and the dispatches: a slow one must not delay the deadlines of the next second. */
  async run(): Promise<void> {
    const { db, nodeId, now: clock } = this.#deps;
    const { engine, deadlines, wrapUps, credit } = this.#parts;
    const now = clock();
    const after = (ms: number) => new Date(now.getTime() + ms);
    const found = await sweep(db, nodeId, {
      now,
      deadlinesUntil: after(DEADLINE_HORIZON_MS),
      overdueSince: after(-OVERDUE_MS),
      wrapUpsUntil: after(WRAP_UP_HORIZON_MS),
      creditUntil: after(EXTEND_AHEAD_MS),
    });
    deadlines.schedule(found.deadlines);
    wrapUps.schedule(found.wrapUps);
    credit.schedule(found.credit);
    if (found.effectsDue) this.#work.start('effects', () => engine.runStored());
    if (found.waitingQueueIds.length > 0)
      this.#work.start('queues', () => this.#dispatch(engine, found.waitingQueueIds));
  }

  async settled(): Promise<void> {
    await this.#work.settled();
  }

  /** Those that have an offer to make, each by itself: a queue whose dispatch hangs must not stop the others. */
  async #dispatch(engine: CallEngine, waitingQueueIds: readonly number[]): Promise<void> {
    const { db, now } = this.#deps;
    for (const queueId of await queuesToDispatch(db, waitingQueueIds, now()))
      this.#work.start(`queue ${queueId}`, () => engine.dispatch(queueId));
  }
}
