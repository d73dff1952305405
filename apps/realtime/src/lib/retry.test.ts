import { expect, test } from 'vitest';
import { withRetries } from './retry.ts';

const failing = (times: number) => {
  const work = { attempts: 0, run: () => Promise.resolve() };
  work.run = async () => {
    work.attempts += 1;
    if (work.attempts <= times) throw new Error(`failure ${work.attempts}`);
  };
  return work;
};

test('work that fails for a moment is retried until it succeeds, and not after that', async () => {
  const work = failing(2);
  await withRetries(work.run, [1, 1, 1]);
  expect(work.attempts).toBe(3);
});

test('work that keeps failing throws its last error', async () => {
  const work = failing(9);
  await expect(withRetries(work.run, [1, 1])).rejects.toThrow('failure 3');
  expect(work.attempts).toBe(3);
});
