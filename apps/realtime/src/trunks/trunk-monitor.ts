/**
 * Pings the carriers of all active trunks and registers the trunks that want it. One realtime node of the cluster does it: the one that holds
 * the lease of the heartbeat (background/leases.ts). What it plans is in memory; only what it observes is stored.
 */
import { clearStaleRegistrations, loadWatchedTrunks } from '@clarion/core/trunk/trunk-state';
import type { WatchedTrunk } from '@clarion/core/trunk/trunk-state';
import type { Deps } from '../deps.ts';
import { BackgroundWork } from '../lib/background-work.ts';
import type { MediaNodes } from '../media/nodes.ts';
import { TrunkWatch, type WatchContext } from './trunk-watch.ts';

/** How exact the plan is. Without a due request a tick compares two numbers per trunk. */
const TICK_MS = 500;
/** The trunks are read again this often, in case a notification is missed. */
const RELOAD_MS = 60_000;
/** A pause after a failed read. */
const RELOAD_RETRY_MS = 2_000;

export class TrunkMonitor {
  readonly #deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets'>;
  readonly #work: BackgroundWork;
  readonly #context: WatchContext;
  readonly #watches = new Map<number, TrunkWatch>();
  /** Trunks whose binding is being removed. They are not followed meanwhile: the end would remove a new registration. */
  readonly #ending = new Set<number>();
  /** By performance.now(): until then no other node can have acquired the lease. */
  #heldUntilMs = 0;
  #timer: NodeJS.Timeout | null = null;
  #loaded = false;
  #reloadAtMs = 0;
  #reloading: Promise<void> | null = null;
  #stopped = false;

  constructor(deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets'>, nodes: MediaNodes) {
    this.#deps = deps;
    this.#work = new BackgroundWork(deps.log);
    this.#context = { deps, nodes, work: this.#work, watches: () => this.#isHeld };
  }

  /** @param heldUntilMs by performance.now(); null: another node has the lease, or none */
  leaseRenewed(heldUntilMs: number | null): void {
    if (this.#stopped) return;
    const wasHeld = this.#isHeld;
    this.#heldUntilMs = heldUntilMs ?? 0;
    if (this.#isHeld && !wasHeld) {
      this.#deps.log.info('watching the trunks');
      this.#reloadAtMs = 0;
    }
    if (this.#isHeld) this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
    this.#tick();
  }

  /** A trunk was created, changed or deleted. */
  trunksChanged(): void {
    this.#reloadAtMs = 0;
    if (this.#isHeld) this.#tick();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#release();
    await this.#work.settled();
  }

  get #isHeld(): boolean {
    return performance.now() < this.#heldUntilMs;
  }

  #tick(): void {
    if (!this.#isHeld) return this.#release();
    if (performance.now() >= this.#reloadAtMs && !this.#reloading) {
      this.#reloadAtMs = performance.now() + RELOAD_MS;
      this.#work.start('read the trunks', {}, () => this.#reload());
    }
    const now = this.#deps.now().getTime();
    for (const watch of this.#watches.values()) watch.tick(now);
  }

  /** The registrations stay as they are: the next node continues them. */
  #release(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    this.#heldUntilMs = 0;
    this.#loaded = false;
    for (const watch of this.#watches.values()) void watch.stop(false);
    this.#watches.clear();
  }

  async #reload(): Promise<void> {
    this.#reloading = this.#read().finally(() => (this.#reloading = null));
    await this.#reloading;
  }

  async #read(): Promise<void> {
    const { db } = this.#deps;
    let trunks: WatchedTrunk[];
    try {
      if (!this.#loaded) await clearStaleRegistrations(db);
      trunks = await loadWatchedTrunks(db);
    } catch (error) {
      this.#reloadAtMs = performance.now() + RELOAD_RETRY_MS;
      throw error;
    }
    if (!this.#isHeld) return;
    const isTakeover = !this.#loaded;
    this.#loaded = true;
    const active = new Set(trunks.map(({ id }) => id));
    for (const [id, watch] of this.#watches) if (!active.has(id)) this.#end(id, watch);
    for (const trunk of trunks) this.#follow(trunk, isTakeover);
    this.#tick();
  }

  #follow(trunk: WatchedTrunk, isTakeover: boolean): void {
    if (this.#ending.has(trunk.id)) return;
    const watch = this.#watches.get(trunk.id);
    const next = new TrunkWatch(this.#context, trunk, isTakeover);
    if (!watch) this.#watches.set(trunk.id, next);
    else if (watch.settings === next.settings) watch.refresh(trunk);
    // The binding of the former settings is removed before the new one is made.
    else this.#end(trunk.id, watch);
  }

  /** Afterwards the trunk is followed again if it is still active. */
  #end(id: number, watch: TrunkWatch): void {
    this.#watches.delete(id);
    this.#ending.add(id);
    this.#work.start('stop watching a trunk', { trunkId: id }, async () => {
      try {
        await watch.stop(true);
      } finally {
        this.#ending.delete(id);
        this.trunksChanged();
      }
    });
  }
}
