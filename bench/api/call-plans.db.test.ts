import { callStats, countRows, statsOf } from '@clarion/core/call/call-stats';
import { createDatabase } from '@clarion/db';
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeHistory, settle } from './call-history.ts';
import type { History } from './call-history.ts';
import { combinations, filtersOf, readsAll, sequentialScans } from './call-plans.ts';

/** The short form of `npm run bench -- api call-lists`, which tests every combination of filters over a million calls. */
const CALLS = 40_000;
const EVERY_NTH = 23;

let database: TestDatabase;
let db: Database;
let history: History;
beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(database.url);
  await makeHistory(db, 'other', CALLS);
  history = await makeHistory(db, 'shop', CALLS);
  await settle(db);
});
afterAll(async () => {
  await db.$disconnect();
  await database.drop();
});

test('no combination of a list’s filters reads the table in sequence', async () => {
  const now = new Date();
  const all = combinations(history, await filtersOf(db, history, now));
  const some = all.filter((_, i) => i % EVERY_NTH === 0);
  expect(some.length).toBeGreaterThan(100);
  expect(readsAll(JSON.stringify(await db.$queryRaw`explain (format json) select * from "Call"`))).toBe(true);
  expect(await sequentialScans(db, some, now)).toEqual([]);
});

test('the tally of a year matches its rows with every filter', async () => {
  const now = new Date();
  const all = combinations(history, await filtersOf(db, history, now));
  const some = all.filter((_, i) => i % 61 === 0);
  for (const selection of some) {
    const told = await callStats({ db, now }, selection);
    expect(told, JSON.stringify(selection)).toEqual(statsOf(await countRows({ db, now }, selection)));
  }
});
