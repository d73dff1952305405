/**
 * Calls each subscriber once every 20 ms on a clock that does not drift: late ticks are made up, so that a minute has 3000 packets.
 * Subscribers are spread over the 20 ms, so that many calls do not send in one burst.
 */
import { performance } from 'node:perf_hooks';
import { FRAME_MS } from './g711.ts';

type Tick = () => void;

/** After a longer pause (a stopped process), the missed ticks are dropped instead of sent in one burst. */
const MAX_CATCH_UP_MS = 500;

export class Pacer {
  readonly #slots: Set<Tick>[] = Array.from({ length: FRAME_MS }, () => new Set());
  #count = 0;
  #nextSlotAt = 0; // ms on performance.now, whole multiples of 1 ms
  #timer: NodeJS.Timeout | undefined;

  /** @returns a function that removes the subscriber */
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

/** The pacer of this process. */
export const pacer = new Pacer();
