import { expect, test } from 'vitest';
import { Pause } from './pause.ts';

const MINIMUM_MS = 20;
const LONG_MS = 60_000;

test('a pause that is shortened ends after the minimum', async () => {
  const pause = new Pause(MINIMUM_MS);
  const startedAt = performance.now();
  const ended = pause.wait(LONG_MS);
  pause.shorten();
  await ended;
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(MINIMUM_MS - 1);
  expect(performance.now() - startedAt).toBeLessThan(LONG_MS / 10);
});

test('shortening twice, or while nothing waits, changes nothing', async () => {
  const pause = new Pause(MINIMUM_MS);
  pause.shorten();
  const startedAt = performance.now();
  const ended = pause.wait(LONG_MS);
  pause.shorten();
  pause.shorten();
  await ended;
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(MINIMUM_MS - 1);
});
