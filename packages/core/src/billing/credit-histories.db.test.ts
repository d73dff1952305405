/** The short form of `npm run prove -- credit`. */
import fc from 'fast-check';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, test } from 'vitest';
import { checkHistory, histories } from './__fixtures__/credit-histories.ts';

const HISTORIES = 40;

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase.drop());

test('whatever happens, calls are paid for exactly, and by nobody’s debt', async () => {
  const db = testDatabase.connect();
  await fc.assert(
    fc.asyncProperty(histories, (history) => checkHistory(db, history)),
    { numRuns: HISTORIES, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true },
  );
});
