import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { labelEvery, ticksUpTo } from './scale.ts';

describe('the ticks of an axis', () => {
  test('start at zero, reach the largest value, and are evenly spaced', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-3, max: 1e9, noNaN: true }),
        fc.integer({ min: 2, max: 8 }),
        (max, count) => {
          const ticks = ticksUpTo(max, count, false);
          expect(ticks[0]).toBe(0);
          expect(ticks.at(-1)!).toBeGreaterThanOrEqual(max * (1 - 1e-6));
          expect(ticks.length).toBeLessThanOrEqual(count + 2);
          const step = ticks[1]! - ticks[0]!;
          for (const [index, tick] of ticks.entries()) expect(tick).toBeCloseTo(index * step, 6);
        },
      ),
    );
  });

  test('are integers if all values are', () => {
    expect(ticksUpTo(1, 4, true)).toEqual([0, 1]);
    expect(ticksUpTo(3, 4, true)).toEqual([0, 1, 2, 3]);
    expect(ticksUpTo(25, 4, true)).toEqual([0, 10, 20, 30]);
  });

  test('exist for a chart of zeros', () => {
    expect(ticksUpTo(0, 4, true)).toEqual([0, 1]);
  });
});

test('the labels of the x axis never overlap', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 2000 }), (count, width) => {
      const every = labelEvery(count, width, 50);
      expect((width / count) * every).toBeGreaterThanOrEqual(50 - 1e-9);
    }),
  );
});
