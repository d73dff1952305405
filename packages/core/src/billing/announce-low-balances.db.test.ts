/** The job selects accounts in SQL by the rule that `isLow` states. */
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isLow } from '../ledger/low-balance.ts';
import { amountOf } from '../rating/millionths.ts';
import { announceLowBalances } from './announce-low-balances.ts';

const ACCOUNTS = 200;
const BATCH = 50;

let testDatabase: TestDatabase;
let db: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
});
afterAll(() => testDatabase.drop());

test('exactly the low balances are announced, once, a batch at a time', async () => {
  const { id: consumerId } = await db.consumer.create({ data: { slug: 'acme', name: 'Acme' } });
  const near = fc.bigInt({ min: -200n, max: 200n });
  const limit = fc.option(fc.bigInt({ min: 0n, max: 200n }));
  const prepaid = fc.record({
    mode: fc.constant('PREPAID' as const),
    balance: near,
    creditLimit: fc.constant(null),
    lastTopUp: limit,
  });
  const postpaid = fc.record({
    mode: fc.constant('POSTPAID' as const),
    balance: near,
    creditLimit: limit,
    lastTopUp: fc.constant(null),
  });
  const facts = fc.sample(fc.oneof(prepaid, postpaid), { numRuns: ACCOUNTS, seed: 1 });
  const low = new Set<string>();
  for (const [index, one] of facts.entries()) {
    const ref = `tenant-${index}`;
    const tenant = await db.tenant.create({ data: { consumerId, ref, name: ref } });
    await db.billingAccount.create({
      data: {
        consumerId,
        owner: 'TENANT',
        tenantId: tenant.id,
        tenantRef: ref,
        mode: one.mode,
        currency: 'USD',
        invoiceDueDays: 15,
        balance: amountOf(one.balance),
        creditLimit: one.creditLimit === null ? null : amountOf(one.creditLimit),
        lastTopUp: one.lastTopUp === null ? null : amountOf(one.lastTopUp),
      },
    });
    if (isLow(one)) low.add(ref);
  }
  expect(low.size).toBeGreaterThan(BATCH);
  for (let done = 1; done > 0;) done = await announceLowBalances(db, new Date(), BATCH);
  const events = await db.event.findMany({ where: { type: 'tenant.balance_low' } });
  expect(events.map(({ tenantRef }) => tenantRef).toSorted()).toEqual([...low].toSorted());
});
