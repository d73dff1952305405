import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../test/test-database.ts';
import type { TestDatabase } from '../test/test-database.ts';
import { createDatabase } from './index.ts';
import { DatabaseClock } from './database-clock.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const QUERY_MS = 500;

test.each([5_000, -5_000])(
  'a host whose clock differs by %i ms uses the time of the database',
  async (skewMs) => {
    const db = database.connect();
    const corrections: number[] = [];
    const clock = new DatabaseClock(db, {
      onCorrected: (correction) => corrections.push(correction),
      hostNow: () => Date.now() + skewMs,
    });
    await clock.start();
    clock.stop();
    expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(QUERY_MS);
    expect(corrections).toHaveLength(1);
  },
);

test('a clock that differs little, or a database that cannot be reached, changes nothing', async () => {
  const db = database.connect();
  const host = Date.now();
  const clock = new DatabaseClock(db, { hostNow: () => Date.now() + 20 });
  await clock.start();
  clock.stop();
  expect(clock.now().getTime()).toBeGreaterThanOrEqual(host + 20);
  const unreachable = createDatabase('postgres://nobody@127.0.0.1:1/none');
  const frozen = new DatabaseClock(unreachable, { hostNow: () => 1_000 });
  await frozen.start();
  frozen.stop();
  expect(frozen.now()).toEqual(new Date(1_000));
  await unreachable.$disconnect();
});
