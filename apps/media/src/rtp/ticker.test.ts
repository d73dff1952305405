import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Ticker } from './ticker.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test('ticks come every 20 ms without drift, and stop with the last listener', () => {
  const ticker = new Ticker();
  const at: number[] = [];
  const listener = () => at.push(performance.now());
  const start = performance.now();
  ticker.add(listener);
  vi.advanceTimersByTime(10_000);
  expect(at).toHaveLength(500);
  expect((at.at(-1) ?? 0) - start).toBeCloseTo(10_000, 0);
  ticker.remove(listener);
  vi.advanceTimersByTime(1_000);
  expect(at).toHaveLength(500);
});

test('a listener may be removed and another added within a tick', () => {
  const ticker = new Ticker();
  let second = 0;
  const next = () => (second += 1);
  const first = () => {
    ticker.remove(first);
    ticker.add(next);
  };
  ticker.add(first);
  vi.advanceTimersByTime(100);
  expect(second).toBeGreaterThanOrEqual(4);
  expect(second).toBeLessThanOrEqual(5);
  ticker.remove(next);
});
