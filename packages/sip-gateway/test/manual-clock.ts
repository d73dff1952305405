/** A clock that only the test advances. */
import type { Clock, Timer } from '../src/clock.ts';

interface Entry extends Timer {
  readonly at: number;
  readonly order: number;
  readonly task: () => void;
}

export class ManualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #entries = new Set<Entry>();

  constructor(now = 0) {
    this.#now = now;
  }

  get pending(): number {
    return this.#entries.size;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, task: () => void): Timer {
    const entries = this.#entries;
    const entry: Entry = {
      at: this.#now + ms,
      order: this.#order++,
      task,
      cancel: () => entries.delete(entry),
    };
    entries.add(entry);
    return entry;
  }

  /** Runs every timer due within `ms`, in order. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (let due = this.#next(until); due !== undefined; due = this.#next(until)) this.#run(due);
    this.#now = until;
  }

  /** Like `advance`, but lets sockets work after each timer. */
  async advanceWith(ms: number, settle: () => Promise<void>): Promise<void> {
    const until = this.#now + ms;
    for (let due = this.#next(until); due !== undefined; due = this.#next(until)) {
      this.#run(due);
      await settle();
    }
    this.#now = Math.max(this.#now, until);
  }

  #run(entry: Entry): void {
    this.#entries.delete(entry);
    this.#now = Math.max(this.#now, entry.at);
    entry.task();
  }

  #next(until: number): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#entries) {
      if (entry.at > until) continue;
      if (
        first === undefined ||
        entry.at < first.at ||
        (entry.at === first.at && entry.order < first.order)
      ) {
        first = entry;
      }
    }
    return first;
  }
}
