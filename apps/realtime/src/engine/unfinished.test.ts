import { expect, test } from 'vitest';
import { Unfinished } from './unfinished.ts';

test('work counts until it has finished', () => {
  const unfinished = new Unfinished(1_000, () => 0);
  const [first, second] = [unfinished.begin(), unfinished.begin()];
  expect(unfinished.count).toBe(2);
  first();
  first();
  expect(unfinished.count).toBe(1);
  second();
  expect(unfinished.count).toBe(0);
});

test('work that hangs counts for a limited time only', () => {
  let nowMs = 0;
  const unfinished = new Unfinished(1_000, () => nowMs);
  const hanging = unfinished.begin();
  nowMs = 999;
  unfinished.begin();
  expect(unfinished.count).toBe(2);
  nowMs = 1_000;
  expect(unfinished.count).toBe(1);
  hanging();
  expect(unfinished.count).toBe(1);
});
