import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Clock } from './clock.ts';

let clock: Clock;
beforeEach(() => {
  clock = new Clock();
});
afterEach(() => clock.close());

test('advancing runs exactly the timers that are due, in the order of their times', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 1_000_000 })), (delays) => {
      const fresh = new Clock();
      const run: number[] = [];
      // Far apart, so that the time which this loop takes does not change the order.
      for (const delay of delays) fresh.after(delay * 60_000, () => run.push(delay));
      fresh.advance(500_000 * 60_000);
      fresh.close();
      expect(run).toEqual(delays.filter((delay) => delay <= 500_000).toSorted((a, b) => a - b));
    }),
  );
});

test('a timer sees its own time, and may set one that is due as well', () => {
  const start = clock.now();
  const seen: number[] = [];
  const repeat = (): void => {
    seen.push(clock.now() - start);
    clock.after(10_000, repeat);
  };
  clock.after(10_000, repeat);
  clock.advance(35_000);
  expect(seen.map((ms) => Math.round(ms / 1000))).toEqual([10, 20, 30]);
});

test('a cancelled timer does not run', () => {
  let count = 0;
  clock.after(1000, () => (count += 1))();
  clock.advance(2000);
  expect(count).toBe(0);
});

test('without advancing, a timer runs in real time', async () => {
  await new Promise<void>((resolve) => clock.after(1, resolve));
  expect(clock.now()).toBeGreaterThan(0);
});
