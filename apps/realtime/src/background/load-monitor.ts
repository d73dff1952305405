/**
 * Measures how late this node is: its event loop, its statements, and effects that no node has run yet. While one of them is too late for
 * longer than a surge takes, the node rejects new INVITEs, and tells the API by its row (packages/core capacity.ts).
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Prisma, runPrepared } from '@clarion/db';
import type { Deps } from '../deps.ts';

const SAMPLE_MS = 500;
/** Resolution of the measured event loop delay. It is part of every value, because a timer of this duration is measured. */
const RESOLUTION_MS = 20;

/** A delay must last this long: a surge may be late, because it is accepted as a whole (media/invite-gate.ts). */
const LASTING_MS = 2_000;
/**
 * The delay beyond which new calls are rejected. Each step of a call takes several turns of the event loop, so an agent's action takes about
 * ten times the delay of one.
 */
const MAX_EVENT_LOOP_DELAY_MS = 100;
/** A statement by primary key takes a millisecond; the rest is the wait for a connection or for the database's processors. */
const MAX_DATABASE_DELAY_MS = 500;
/** The sweep of the outbox runs every second, so an effect that has been due for longer finds no node with time for it. */
const MAX_OUTBOX_DELAY_MS = 3_000;
/** How long the API believes in the overload of a node that reports no more. */
const REPORT_SECONDS = 3;

const limits = {
  'event-loop': MAX_EVENT_LOOP_DELAY_MS,
  database: MAX_DATABASE_DELAY_MS,
  outbox: MAX_OUTBOX_DELAY_MS,
} as const;
export type Delay = keyof typeof limits;
export const delays = Object.keys(limits) as Delay[];

/** Which delay has been too long for long enough. Pure, apart from what it remembers. */
export class LastingDelays {
  readonly #since = new Map<Delay, number>();

  note(delay: Delay, ms: number, nowMs: number): void {
    if (ms <= limits[delay]) this.#since.delete(delay);
    else if (!this.#since.has(delay)) this.#since.set(delay, nowMs);
  }

  lasting(nowMs: number): Delay | null {
    return delays.find((delay) => nowMs - (this.#since.get(delay) ?? nowMs) >= LASTING_MS) ?? null;
  }
}

export class LoadMonitor {
  readonly #deps: Pick<Deps, 'db' | 'log' | 'nodeId' | 'now'>;
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #lasting = new LastingDelays();
  readonly #ms: Record<Delay, number> = { 'event-loop': 0, database: 0, outbox: 0 };
  #overload: Delay | null = null;
  #timer: NodeJS.Timeout | null = null;
  #probe: { startedAtMs: number; done: Promise<void> } | null = null;
  /** Whether this node's row says that it is overloaded. */
  #reported = false;

  constructor(deps: Pick<Deps, 'db' | 'log' | 'nodeId' | 'now'>) {
    this.#deps = deps;
  }

  /** The delay that is too long; null: new calls are accepted. */
  get overload(): Delay | null {
    return this.#overload;
  }

  get eventLoopDelayMs(): number {
    return this.#ms['event-loop'];
  }

  delayMs(delay: Delay): number {
    return this.#ms[delay];
  }

  start(): void {
    this.#histogram.enable();
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#histogram.disable();
    await this.#probe?.done;
  }

  #sample(): void {
    const nowMs = performance.now();
    // The median: a single long turn, such as a garbage collection, is no overload.
    const medianMs = this.#histogram.count === 0 ? 0 : this.#histogram.percentile(50) / 1e6;
    this.#histogram.reset();
    this.#ms['event-loop'] = Math.max(0, medianMs - RESOLUTION_MS);
    if (this.#probe) this.#ms.database = nowMs - this.#probe.startedAtMs;
    for (const delay of delays) this.#lasting.note(delay, this.#ms[delay], nowMs);
    const overload = this.#lasting.lasting(nowMs);
    if (overload !== this.#overload) {
      const { log } = this.#deps;
      if (overload)
        log.warn({ delay: overload, ms: this.#ms[overload] }, 'overloaded: new calls are rejected');
      else log.info('no longer overloaded: new calls are accepted');
    }
    this.#overload = overload;
    this.#probe ??= { startedAtMs: nowMs, done: this.#measure(nowMs).finally(() => (this.#probe = null)) };
  }

  async #measure(startedAtMs: number): Promise<void> {
    const { db, log, now } = this.#deps;
    try {
      const [row] = await runPrepared<{ due: Date | null }>(
        db,
        Prisma.sql`
        select min(coalesce("claimedUntil", "createdAt")) as due from "EngineOutbox"
        where "claimedUntil" is null or "claimedUntil" < ${now()}`,
      );
      this.#ms.database = performance.now() - startedAtMs;
      this.#ms.outbox = row?.due ? Math.max(0, now().getTime() - row.due.getTime()) : 0;
      await this.#report();
    } catch (error) {
      // Not measurable: /readyz reports a database that is down.
      log.debug({ err: error }, 'failed to measure the load');
    }
  }

  async #report(): Promise<void> {
    if (this.#overload === null && !this.#reported) return;
    const { db, nodeId } = this.#deps;
    this.#reported = this.#overload !== null;
    const seconds = this.#reported ? REPORT_SECONDS : 0;
    await db.$executeRaw`
      update "RealtimeNode" set "overloadedUntil" = now() + make_interval(secs => ${seconds}::int) where "id" = ${nodeId}`;
  }
}
