/**
 * Periodic work: heartbeat, what is due (sweeps.ts), WhatsApp calls that were left behind, sockets whose end was not
 * recorded, agents of a node that was wrongly declared dead.
 */
import { dropStalePending } from '@clarion/core/call-engine/outbox';
import type { Presence } from '../agents/presence.ts';
import type { Deps } from '../deps.ts';
import type { WhatsAppArrivals } from '../whatsapp/arrivals.ts';
import { HEARTBEAT_MS } from './leases.ts';
import type { Leases } from './leases.ts';
import type { Sweeps } from './sweeps.ts';

const SWEEP_MS = 1_000;
/** Only a lost notification or a dead node leaves something behind. */
const WHATSAPP_SWEEP_MS = 2_000;
const DROP_STALE_MS = 30_000;

interface Task {
  name: string;
  everyMs: number;
  work: () => Promise<unknown>;
}

export class Housekeeping {
  readonly #deps: Deps;
  readonly #sweeps: Sweeps;
  readonly #leases: Leases;
  readonly #tasks: Task[];
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Promise<unknown>>();
  #stopped = false;

  constructor(
    deps: Deps,
    {
      sweeps,
      leases,
      presence,
      whatsApp,
    }: { sweeps: Sweeps; leases: Leases; presence: Presence; whatsApp: WhatsAppArrivals },
  ) {
    this.#deps = deps;
    this.#sweeps = sweeps;
    this.#leases = leases;
    this.#tasks = [
      { name: 'heartbeat', everyMs: HEARTBEAT_MS, work: () => leases.beat() },
      { name: 'sweep', everyMs: SWEEP_MS, work: () => sweeps.run() },
      { name: 'WhatsApp calls', everyMs: WHATSAPP_SWEEP_MS, work: () => whatsApp.sweep() },
      { name: 'closed sockets', everyMs: SWEEP_MS, work: () => presence.retryLeaving() },
      { name: 'grace periods', everyMs: SWEEP_MS, work: () => presence.endGracePeriods() },
      {
        name: 'unclaimed effects',
        everyMs: DROP_STALE_MS,
        work: () => dropStalePending(deps.db, deps.now()),
      },
    ];
  }

  start(): void {
    for (const task of this.#tasks) this.#repeat(task);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all(this.#running);
    await Promise.all([this.#sweeps.settled(), this.#leases.settled()]);
  }

  /** The next round is scheduled when this one is over, so that rounds do not pile up on a slow database. */
  #repeat({ name, everyMs, work }: Task): void {
    if (this.#stopped) return;
    const round = work()
      .catch((error: unknown) => this.#deps.log.warn({ err: error, task: name }, 'periodic task failed'))
      .finally(() => {
        this.#running.delete(round);
        if (this.#stopped) return;
        const timer = setTimeout(() => {
          this.#timers.delete(timer);
          this.#repeat({ name, everyMs, work });
        }, everyMs);
        this.#timers.add(timer);
      });
    this.#running.add(round);
  }
}
