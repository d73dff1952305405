import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Unfinished } from './unfinished.ts';

const COUNTED_FOR_MS = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('work counts until it has finished, and then leaves no timer', () => {
  const onLower = vi.fn();
  const unfinished = new Unfinished(COUNTED_FOR_MS, onLower);
  const [first, second] = [unfinished.begin('a'), unfinished.begin('b')];
  expect(unfinished.count).toBe(2);
  first();
  expect(unfinished.count).toBe(1);
  expect(onLower).toHaveBeenCalledTimes(1);
  second();
  expect(unfinished.count).toBe(0);
  expect(onLower).toHaveBeenCalledTimes(2);
  expect(vi.getTimerCount()).toBe(0);
});

test('work that hangs counts for a limited time only, and whoever waits is told when it stops counting', () => {
  const seen: number[] = [];
  const unfinished = new Unfinished(COUNTED_FOR_MS, () => seen.push(unfinished.count));
  const hanging = unfinished.begin('a');
  vi.advanceTimersByTime(COUNTED_FOR_MS - 1);
  unfinished.begin('b');
  expect(unfinished.count).toBe(2);
  vi.advanceTimersByTime(1);
  expect(unfinished.count).toBe(1);
  expect(seen).toEqual([1]);
  hanging();
  expect(unfinished.count).toBe(1);
  expect(seen).toEqual([1]);
});

test('work that is begun again while it hangs does not count anew; when all its runs have ended, it does', () => {
  const unfinished = new Unfinished(COUNTED_FOR_MS, () => undefined);
  const first = unfinished.begin('a');
  vi.advanceTimersByTime(COUNTED_FOR_MS);
  const second = unfinished.begin('a');
  expect(unfinished.count).toBe(0);
  first();
  const third = unfinished.begin('a');
  expect(unfinished.count).toBe(0);
  second();
  third();
  unfinished.begin('a');
  expect(unfinished.count).toBe(1);
});

test('work that is begun twice counts once, until both runs have ended', () => {
  const unfinished = new Unfinished(COUNTED_FOR_MS, () => undefined);
  const [first, second] = [unfinished.begin('a'), unfinished.begin('a')];
  expect(unfinished.count).toBe(1);
  first();
  expect(unfinished.count).toBe(1);
  second();
  expect(unfinished.count).toBe(0);
});
