import { expect, test } from 'vitest';
import { repeated } from './repeated.ts';

const failing = (times: number) => {
  const work = { attempts: 0, run: () => Promise.resolve() };
  work.run = async () => {
    work.attempts += 1;
    if (work.attempts <= times) throw new Error(`failure ${work.attempts}`);
  };
  return work;
};

test('work that fails for a moment is repeated until it succeeds, and not after that', async () => {
  const work = failing(2);
  await repeated(work.run, [1, 1, 1]);
  expect(work.attempts).toBe(3);
});

test('work that goes on failing throws its last error', async () => {
  const work = failing(9);
  await expect(repeated(work.run, [1, 1])).rejects.toThrow('failure 3');
  expect(work.attempts).toBe(3);
});
