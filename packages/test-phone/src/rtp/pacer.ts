/**
 * Calls each subscriber once every 20 ms for as long as it stays, on a clock that does not drift: late ticks are made up for, so that a
 * minute is 3000 packets. Subscribers are spread over the 20 ms, so that many calls are not one burst.
 */
import { performance } from 'node:perf_hooks';
import { FRAME_MS } from './g711.ts';

type Tick = () => void;

/** After a pause longer than this (a stopped process) the ticks in it are dropped rather than sent as one burst. */
const MAX_CATCH_UP_MS = 500;

export class Pacer {
  readonly #slots: Set<Tick>[] = Array.from({ length: FRAME_MS }, () => new Set());
  #count = 0;
  #nextSlotAt = 0; // ms on performance.now, whole multiples of 1 ms
  #timer: NodeJS.Timeout | undefined;

  /** Returns the way to stop. */
  add(tick: Tick): () => void {
    const slot = this.#slots.reduce((least, each) => (each.size < least.size ? each : least));
    slot.add(tick);
    this.#count += 1;
    if (this.#count === 1) {
      this.#nextSlotAt = Math.ceil(performance.now());
      this.#arm();
    }
    return () => {
      if (!slot.delete(tick)) return;
      this.#count -= 1;
      if (this.#count === 0) clearTimeout(this.#timer);
    };
  }

  #arm(): void {
    while (this.#slotAt(this.#nextSlotAt).size === 0) this.#nextSlotAt += 1;
    this.#timer = setTimeout(() => this.#run(), Math.max(0, this.#nextSlotAt - performance.now()));
  }

  #run(): void {
    const now = performance.now();
    if (now - this.#nextSlotAt > MAX_CATCH_UP_MS) this.#nextSlotAt = Math.floor(now);
    for (; this.#nextSlotAt <= now; this.#nextSlotAt += 1)
      for (const tick of [...this.#slotAt(this.#nextSlotAt)]) tick();
    if (this.#count > 0) this.#arm();
  }

  #slotAt(at: number): Set<Tick> {
    return this.#slots[at % FRAME_MS] as Set<Tick>;
  }
}

/** One clock for a process. */
export const pacer = new Pacer();
