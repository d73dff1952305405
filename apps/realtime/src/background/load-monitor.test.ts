import { expect, test } from 'vitest';
import { LastingDelays } from './load-monitor.ts';

test('only a delay that lasts for two seconds is an overload, which ends with the first normal sample', () => {
  const delays = new LastingDelays();
  delays.note('event-loop', 400, 0);
  delays.note('database', 20, 0);
  expect(delays.lasting(1_999)).toBeNull();
  delays.note('event-loop', 10, 1_999);
  delays.note('event-loop', 400, 2_500);
  delays.note('event-loop', 150, 4_000);
  expect(delays.lasting(4_499)).toBeNull();
  expect(delays.lasting(4_500)).toBe('event-loop');
  delays.note('event-loop', 100, 5_000);
  expect(delays.lasting(5_000)).toBeNull();
});

test('each delay has its own limit', () => {
  for (const [delay, ms] of [
    ['database', 501],
    ['outbox', 3_001],
  ] as const) {
    const delays = new LastingDelays();
    delays.note(delay, ms, 0);
    expect(delays.lasting(2_000)).toBe(delay);
    delays.note(delay, ms - 1, 2_000);
    expect(delays.lasting(2_000)).toBeNull();
  }
});
