import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_DELAY_MS, reconnectDelayMs } from './backoff.ts';

describe('the wait before an attempt', () => {
  test('is a second at most while the service may only be restarting, then doubles', () => {
    expect([0, 1, 2, 3, 10, 11, 12, 13, 14, 15, 16].map((attempt) => reconnectDelayMs(attempt, 0))).toEqual([
      0, 500, 1000, 1000, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000,
    ]);
  });

  test('never leaves its bounds, however often and whatever the dice say', () => {
    fc.assert(
      fc.property(fc.nat(), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempt, random) => {
        const wait = reconnectDelayMs(attempt, random);
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(MAX_DELAY_MS);
      }),
    );
  });

  test('spreads those who lost the connection together', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4 }), (attempt) => {
        expect(reconnectDelayMs(attempt, 0.9)).toBeGreaterThan(reconnectDelayMs(attempt, 0.1));
      }),
    );
  });
});
