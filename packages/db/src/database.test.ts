import { expect, test, vi } from 'vitest';
import { createDatabase, poolOf } from './database.ts';

test('another copy of the module finds the connections of a client', async () => {
  const db = createDatabase('postgresql://nobody@127.0.0.1:1/nowhere'); // connects only when it is used
  vi.resetModules();

  const copy = await import('./database.ts');

  expect(copy.poolOf).not.toBe(poolOf);
  expect(copy.poolOf(db)).toBe(poolOf(db));
  await db.$disconnect();
});
