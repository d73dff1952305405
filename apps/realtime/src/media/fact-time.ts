/** When a fact happened, by this process's clock, although that of the media node's host may differ by seconds. */
import type { Sent } from '@clarion/protocol/media-clock';
import { TransitDelay } from './transit-delay.ts';

/** When a message was received, and its delay beyond the usual transit time. */
export interface Arrival {
  at: Date;
  delayMs: number;
}

/** Times of the messages of one connection. */
export class ArrivalClock {
  readonly #now: () => Date;
  readonly #delay = new TransitDelay();

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Must be called when a message is received, before anything is awaited. */
  arrival(clockMs: number | undefined): Arrival {
    const delayMs = clockMs === undefined ? 0 : this.#delay.of(clockMs, performance.now());
    return { at: this.#now(), delayMs };
  }
}

/** Wall clocks that agree better with the age of the fact are exact: the usual transit time is not part of them. */
const AGREEMENT_MS = 250;

/** @param reported the wall-clock time of the media node, which is all that an earlier version sends; never in the future */
export function timeOfFact(sent: Sent | undefined, reported: string, { at, delayMs }: Arrival): Date {
  const wall = new Date(reported);
  const usable = !Number.isNaN(wall.getTime()) && wall <= at;
  if (!sent) return usable ? wall : at;
  const byAge = new Date(at.getTime() - delayMs - sent.ageMs);
  return usable && Math.abs(wall.getTime() - byAge.getTime()) <= AGREEMENT_MS ? wall : byAge;
}
