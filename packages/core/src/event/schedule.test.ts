import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_DELIVERY_ATTEMPTS, nextAttemptAt } from './schedule.ts';

const start = new Date('2026-01-01T00:00:00.000Z');
const secondsAfter = (attemptsMade: number) => {
  const next = nextAttemptAt(attemptsMade, start);
  return next && (next.getTime() - start.getTime()) / 1000;
};

test('waits 5 s, 15 s, 1 min, 5 min, 15 min, 30 min, then an hour each', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(secondsAfter)).toEqual([
    5, 15, 60, 300, 900, 1800, 3600, 3600, 3600, 3600, 3600,
  ]);
});

test('ends after the 12th attempt, about 6 hours after the first', () => {
  expect(MAX_DELIVERY_ATTEMPTS).toBe(12);
  expect(nextAttemptAt(12, start)).toBeNull();
  let at = start;
  for (let made = 1; made < 12; made += 1) at = nextAttemptAt(made, at) ?? at;
  const hours = (at.getTime() - start.getTime()) / 3_600_000;
  expect(hours).toBeGreaterThan(5.5);
  expect(hours).toBeLessThan(6.5);
});

test('never schedules in the past, and delays never decrease', () => {
  fc.assert(
    fc.property(
      fc.date({ noInvalidDate: true, max: new Date('9999-12-31') }),
      fc.integer({ min: 1, max: 11 }),
      (failedAt, made) => {
        const next = nextAttemptAt(made, failedAt);
        expect(next?.getTime()).toBeGreaterThan(failedAt.getTime());
        if (made > 1) expect(secondsAfter(made)).toBeGreaterThanOrEqual(secondsAfter(made - 1) ?? 0);
      },
    ),
  );
});

test('an event with more attempts than the schedule has is not retried', () => {
  fc.assert(
    fc.property(fc.integer({ min: MAX_DELIVERY_ATTEMPTS }), (made) => nextAttemptAt(made, start) === null),
  );
});
