import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../test/test-database.ts';
import { listen, type Listener } from './notify.ts';
import type { Database } from './index.ts';

const NAME = 'listener of notify.db.test';
const POLL_MS = 20;

let testDatabase: TestDatabase;
let db: Database;
let listener: Listener;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  listener = listen(testDatabase.url, { clarion_key: () => undefined }, { applicationName: NAME });
  await listener.ready;
});
afterAll(async () => {
  await listener.stop();
  await testDatabase.drop();
});

/** Times between the listener's next queries, ms. */
async function timesBetweenQueries(count: number, meanwhile: () => void): Promise<number[]> {
  const starts: number[] = [];
  while (starts.length <= count) {
    meanwhile();
    const [row] = await db.$queryRaw<{ at: Date }[]>`
      select query_start as at from pg_stat_activity where application_name = ${NAME}`;
    const at = row?.at.getTime() ?? 0;
    if (starts.at(-1) !== at) starts.push(at);
    await sleep(POLL_MS);
  }
  return starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
}

test('a listener that nobody asks whether it is current queries less often, and is current when asked', async () => {
  const idle = await timesBetweenQueries(4, () => undefined);
  expect(Math.min(...idle.slice(1))).toBeGreaterThan(600);
  expect(listener.isCurrent()).toBe(true);
  const asked = await timesBetweenQueries(6, () => listener.isCurrent());
  expect(Math.min(...asked)).toBeLessThan(600);
});
