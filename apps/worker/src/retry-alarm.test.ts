import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RetryAlarm } from './retry-alarm.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('wakes at each retry, at most 20 ms late and never early, once for retries close together', () => {
  const start = Date.now();
  const woken: number[] = [];
  const alarm = new RetryAlarm(() => woken.push(Date.now() - start));
  for (const wait of [5_000, 5_001, 5_002, 5_100, 15_000, 60_000 - 20]) {
    alarm.set(new Date(start + wait), new Date(start));
  }
  vi.advanceTimersByTime(70_000);
  for (const wait of [5_000, 5_001, 5_002, 5_100, 15_000, 60_000 - 20]) {
    expect(woken.some((at) => at > wait && at <= wait + 20)).toBe(true);
  }
  expect(woken.length).toBeLessThan(6);
});

test('sets no timer for a retry far in the future, and leaves none after it is stopped', () => {
  const now = new Date();
  const alarm = new RetryAlarm(() => expect.unreachable());
  alarm.set(new Date(now.getTime() + 3_600_000), now);
  expect(vi.getTimerCount()).toBe(0);
  alarm.set(new Date(now.getTime() + 5_000), now);
  expect(vi.getTimerCount()).toBe(1);
  alarm.stop();
  expect(vi.getTimerCount()).toBe(0);
});
