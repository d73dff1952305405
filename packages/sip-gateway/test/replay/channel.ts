/** One direction of one connection or endpoint: what the recording expects, and what arrived. */
import { setImmediate as immediate } from 'node:timers/promises';
import type { Names, compareSip } from './unify.ts';

type Compare = typeof compareSip;

export interface Expected {
  readonly at: number;
  readonly text: string;
  /** May come out of order. */
  readonly late: boolean;
}

/** Entries recorded this close together may have been written in the other order. Ms. */
const SWAP_WINDOW_MS = 6;
/**
 * Turns of the event loop after a wait. A process that had to wait for a core runs its expired timers first, although what it waits for
 * has arrived; several sockets of this process pass it on.
 */
const TURNS_AFTER_WAIT = 20;

export class Channel {
  readonly name: string;
  readonly #names: Names;
  readonly #compare: Compare;
  readonly #waiting: { expected: Expected; repeat: boolean }[] = [];
  readonly #seen = new Set<string>();
  readonly #done = new Set<Expected>();
  /** Messages that match no expectation. */
  readonly unexpected: string[] = [];
  #wake: (() => void)[] = [];

  constructor(name: string, names: Names, compare: Compare) {
    this.name = name;
    this.#names = names;
    this.#compare = compare;
  }

  expect(expected: Expected): void {
    const repeat = this.#waiting.some((other) => other.expected.text === expected.text);
    this.#waiting.push({ expected, repeat });
  }

  /** Handles a message from the gateway. */
  arrive(actual: string): void {
    const isRepeat = this.#seen.has(actual);
    this.#seen.add(actual);
    for (let i = 0; i < this.#waiting.length; i++) {
      const candidate = this.#waiting[i];
      if (candidate === undefined) break;
      const { expected, repeat } = candidate;
      const firstAt =
        this.#waiting.find((entry) => !entry.repeat && !entry.expected.late)?.expected.at ?? expected.at;
      if (expected.at > firstAt + SWAP_WINDOW_MS && !repeat && !expected.late) break;
      const pairs = this.#compare(expected.text, actual);
      if (pairs === null || !this.#names.accept(pairs)) continue;
      this.#waiting.splice(i, 1);
      this.#done.add(expected);
      this.#wakeAll();
      return;
    }
    // The number of retransmissions is tested elsewhere, with exact times.
    if (!isRepeat) this.unexpected.push(actual);
    this.#wakeAll();
  }

  isDone(expected: Expected): boolean {
    return (
      this.#done.has(expected) || this.#waiting.some((entry) => entry.expected === expected && entry.repeat)
    );
  }

  /** Waits for an expectation, about `ms` of real time. */
  async until(expected: Expected, ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    let turns = TURNS_AFTER_WAIT;
    while (!this.isDone(expected)) {
      const left = deadline - performance.now();
      if (left <= 0) {
        if (turns === 0) return false;
        turns -= 1;
        await immediate();
        continue;
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    return true;
  }

  #wakeAll(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const go of wake) go();
  }
}
