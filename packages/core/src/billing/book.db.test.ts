/** The ledger: balances are sums of transactions, nothing is booked twice, and nothing in it can be changed. */
import fc from 'fast-check';
import type { Consumer, Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { amountOf, millionthsOf } from '../rating/millionths.ts';
import { isUniqueViolation } from '../sql-state.ts';
import { book } from './book.ts';

let testDatabase: TestDatabase;
let db: Database;
let consumer: Consumer;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  consumer = await db.consumer.create({ data: { slug: 'acme', name: 'Acme' } });
});
afterAll(() => testDatabase.drop());

const now = new Date('2026-01-05T09:00:00Z');
let accounts = 0;
const newAccount = (of: Consumer = consumer) => {
  accounts += 1;
  return db.billingAccount.create({
    data: {
      consumerId: of.id,
      owner: 'TENANT',
      tenantRef: `tenant-${accounts}`,
      mode: 'PREPAID',
      currency: 'USD',
      invoiceDueDays: 15,
    },
  });
};
const entry = (source: string, amount: string) =>
  ({ kind: 'ADJUSTMENT', amount, source, description: null }) as const;

test('after any history, the balance is the sum of the transactions, and each has the balance after it', async () => {
  const amounts = fc
    .bigInt({ min: -9_999_999_999_999n, max: 9_999_999_999_999n })
    .filter((amount) => amount !== 0n);
  const histories = fc.array(fc.record({ amount: amounts, together: fc.boolean() }), {
    minLength: 1,
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const { id } = await newAccount();
      let open: Promise<unknown>[] = [];
      for (const [index, { amount, together }] of history.entries()) {
        open.push(book(db, id, entry(`adjustment:${index}`, amountOf(amount)), now));
        if (together) continue;
        await Promise.all(open);
        open = [];
      }
      await Promise.all(open);
      const rows = await db.billingTransaction.findMany({
        where: { accountId: id },
        orderBy: { id: 'asc' },
      });
      expect(rows).toHaveLength(history.length);
      let sum = 0n;
      for (const row of rows) {
        sum += millionthsOf(row.amount.toFixed());
        expect(row.balanceAfter.toFixed()).toBe(amountOf(sum));
      }
      const { balance } = await db.billingAccount.findUniqueOrThrow({ where: { id } });
      expect(balance.toFixed()).toBe(amountOf(sum));
    }),
    { numRuns: 25 },
  );
});

test('the same source is booked once per account, and the balance stays', async () => {
  const [one, other] = [await newAccount(), await newAccount()];
  await book(db, one.id, entry('call:7', '-2'), now);
  const again = await book(db, one.id, entry('call:7', '-2'), now).catch((error: unknown) => error);
  expect(isUniqueViolation(again)).toBe(true);
  expect((await book(db, other.id, entry('call:7', '-2'), now))?.balance.toFixed()).toBe('-2');
  const { balance } = await db.billingAccount.findUniqueOrThrow({ where: { id: one.id } });
  expect(balance.toFixed()).toBe('-2');
});

test('a balance that cannot be stored is not booked', async () => {
  const { id } = await newAccount();
  expect(await book(db, id, entry('a', '-999999999999.999999'), now)).not.toBeNull();
  expect(await book(db, id, entry('b', '-0.000001'), now)).toBeNull();
  expect(await db.billingTransaction.count({ where: { accountId: id } })).toBe(1);
});

describe('the database', () => {
  test('rejects a change or deletion of a transaction, and the deletion of an account', async () => {
    const { id } = await newAccount();
    await book(db, id, entry('a', '5'), now);
    const where = { accountId: id };
    await expect(db.billingTransaction.updateMany({ where, data: { amount: 6 } })).rejects.toThrow();
    await expect(db.billingTransaction.updateMany({ where, data: { description: 'x' } })).rejects.toThrow();
    await expect(db.billingTransaction.deleteMany({ where })).rejects.toThrow();
    await expect(db.$executeRaw`truncate "BillingTransaction" cascade`).rejects.toThrow('cannot be deleted');
    await expect(db.billingAccount.delete({ where: { id } })).rejects.toThrow();
    expect(await db.billingTransaction.findMany({ where })).toMatchObject([{ description: null }]);
  });

  test('deletes the accounts of a deleted consumer with their transactions', async () => {
    const gone = await db.consumer.create({ data: { slug: 'gone', name: 'Gone' } });
    const { id } = await newAccount(gone);
    await book(db, id, entry('a', '5'), now);
    await db.consumer.delete({ where: { id: gone.id } });
    expect(await db.billingAccount.count({ where: { id } })).toBe(0);
    expect(await db.billingTransaction.count({ where: { accountId: id } })).toBe(0);
  });

  test('has one account per tenant, and one of a consumer’s own', async () => {
    const own = {
      consumerId: consumer.id,
      owner: 'CONSUMER',
      mode: 'POSTPAID',
      currency: 'USD',
      invoiceDueDays: 15,
    } as const;
    await db.billingAccount.create({ data: own });
    await expect(db.billingAccount.create({ data: own })).rejects.toThrow();
    const tenant = await db.tenant.create({ data: { consumerId: consumer.id, ref: 'shop', name: 'Shop' } });
    const ofTenant = { ...own, owner: 'TENANT', tenantId: tenant.id, tenantRef: 'shop' } as const;
    await db.billingAccount.create({ data: ofTenant });
    await expect(db.billingAccount.create({ data: ofTenant })).rejects.toThrow();
  });
});
