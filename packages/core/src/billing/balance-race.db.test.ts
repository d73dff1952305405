/** Top-ups, adjustments, payments, changes of the account and its plan, and calls, all at the same time and in random order. */
import fc from 'fast-check';
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BalanceRace, steps } from './__fixtures__/balance-race.ts';

const ROUNDS = 20;

let testDatabase: TestDatabase;
let db: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
});
afterAll(() => testDatabase.drop());

test('whatever happens at the same time is booked once, and nothing fails because of a deadlock', async () => {
  const race = await BalanceRace.create(db);
  const orders = fc.shuffledSubarray([...steps], { minLength: steps.length });
  // A round depends on those before it, so a failed one cannot be repeated.
  const options = { numRuns: ROUNDS, endOnFailure: true };
  await fc.assert(
    fc.asyncProperty(orders, (order) => race.round(order)),
    options,
  );
  expect(race.paid.calls).toBe(ROUNDS);
  expect(race.paid.invoices).toBeGreaterThan(0);
});
