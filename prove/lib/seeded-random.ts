import { seeded } from '@clarion/test-phone/random';

/** Reproducible random numbers: the same seed produces the same sequence. */
export class SeededRandom {
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

  /** A separate stream, so that the number of its draws does not affect others. */
  child(): SeededRandom {
    return new SeededRandom(Math.floor(this.next() * 2 ** 31));
  }
}
