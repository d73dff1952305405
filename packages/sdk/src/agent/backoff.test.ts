import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_DELAY_MS, reconnectDelayMs } from './backoff.ts';

describe('the delay before an attempt', () => {
  test('is at most a second while the service may be restarting, then doubles', () => {
    expect([0, 1, 2, 3, 10, 11, 12, 13, 14, 15, 16].map((attempt) => reconnectDelayMs(attempt, 0))).toEqual([
      0, 500, 1000, 1000, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000,
    ]);
  });

  test('stays within its bounds for any attempt and any random number', () => {
    fc.assert(
      fc.property(fc.nat(), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempt, random) => {
        const wait = reconnectDelayMs(attempt, random);
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(MAX_DELAY_MS);
      }),
    );
  });

  test('spreads clients that lost the connection at the same time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4 }), (attempt) => {
        expect(reconnectDelayMs(attempt, 0.9)).toBeGreaterThan(reconnectDelayMs(attempt, 0.1));
      }),
    );
  });
});
