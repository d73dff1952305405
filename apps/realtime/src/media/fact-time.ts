/** When a fact happened, by this process's clock, although that of the media node's host may differ by seconds. */
import type { Sent } from '@clarion/protocol/media';
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

/** @param reported the wall-clock time of the media node; used, but never in the future, if an earlier version sent the message */
export function timeOfFact(sent: Sent | undefined, reported: string, { at, delayMs }: Arrival): Date {
  if (sent) return new Date(at.getTime() - delayMs - sent.ageMs);
  const wall = new Date(reported);
  return Number.isNaN(wall.getTime()) || wall > at ? at : wall;
}
