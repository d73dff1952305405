/**
 * One 20 ms clock for all legs. A tick is due at `start + n × 20 ms`, so that late timers do not add up to drift. Ticks
 * missed in a stall are made up for, up to a limit, so that generated audio keeps pace with real time.
 */
import { FRAME_MS } from './g711.ts';

/** After a longer stall ticks are skipped: a burst would only fill jitter buffers. */
const MAX_CATCH_UP_TICKS = 5;

/** `tick` increases by one per tick, also across periods without listeners. */
export type Tick = (nowMs: number, tick: number) => void;

export class Ticker {
  #listeners = new Set<Tick>();
  #timer: NodeJS.Timeout | null = null;
  #startMs = 0;
  #ticks = 0;
  #count = 0;

  get size(): number {
    return this.#listeners.size;
  }

  add(listener: Tick): void {
    this.#listeners.add(listener);
    if (this.#timer) return;
    this.#startMs = performance.now();
    this.#ticks = 0;
    this.#arm();
  }

  remove(listener: Tick): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0 || !this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  #arm(): void {
    const dueMs = this.#startMs + (this.#ticks + 1) * FRAME_MS;
    this.#timer = setTimeout(() => this.#run(), Math.max(0, dueMs - performance.now()));
  }

  #run(): void {
    this.#timer = null;
    const due = Math.floor((performance.now() - this.#startMs) / FRAME_MS);
    const behind = due - this.#ticks;
    const count = Math.min(behind, MAX_CATCH_UP_TICKS);
    this.#ticks = due;
    for (let tick = 0; tick < count; tick += 1) {
      const nowMs = performance.now() - (count - 1 - tick) * FRAME_MS;
      this.#count += 1;
      for (const listener of this.#listeners) listener(nowMs, this.#count);
    }
    if (this.#listeners.size > 0 && !this.#timer) this.#arm();
  }
}
