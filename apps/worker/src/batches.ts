/** Collects items while a statement runs, so that the next statement handles all of them. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Batches<T> {
  add(item: T): void;
  /** Resolves when nothing is waiting or running. */
  idle(): Promise<void>;
}

export function createBatches<T>(options: {
  max: number;
  /** How long items are collected before the statement. */
  gapMs: number;
  /** Must not throw. One at a time. */
  run: (items: T[]) => Promise<void>;
}): Batches<T> {
  const { max, gapMs, run } = options;
  let waiting: T[] = [];
  let running: Promise<void> | null = null;

  const drain = async () => {
    while (waiting.length > 0) {
      if (waiting.length < max) await sleep(gapMs);
      const batch = waiting.slice(0, max);
      waiting = waiting.slice(max);
      await run(batch);
    }
    running = null;
  };

  return {
    add(item) {
      waiting.push(item);
      running ??= drain();
    },
    async idle() {
      while (running) await running;
    },
  };
}
