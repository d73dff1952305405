import { seeded } from '@clarion/test-phone/random';

/** Chance that comes again: the same seed, the same decisions. */
export class Chance {
  /** 0 up to 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seeded(seed);
  }

  /** True with this probability. */
  often(probability: number): boolean {
    return this.next() < probability;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)] as T;
  }

  /** A stream of its own, so that one life does not disturb another's. */
  child(): Chance {
    return new Chance(Math.floor(this.next() * 2 ** 31));
  }
}
