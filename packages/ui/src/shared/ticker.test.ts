import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { every } from './ticker.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

test('subscribers with the same period share one interval, which stops with the last of them', () => {
  const ticks: string[] = [];
  const stops = ['one', 'other'].map((name) =>
    every(1_000).subscribe(() => ticks.push(`${name} ${every(1_000).now()}`)),
  );
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect(ticks).toEqual(['one 1001000', 'other 1001000']);
  stops[0]?.();
  expect(vi.getTimerCount()).toBe(1);
  stops[1]?.();
  expect(vi.getTimerCount()).toBe(0);
});

test('the time does not change between ticks, so that one render shows one time', () => {
  const stop = every(30_000).subscribe(() => undefined);
  const first = every(30_000).now();
  vi.advanceTimersByTime(29_999);
  expect(every(30_000).now()).toBe(first);
  vi.advanceTimersByTime(1);
  expect(every(30_000).now()).toBe(first + 30_000);
  stop();
});
