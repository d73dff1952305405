/** Changes of a consumer's own account that happen at the same time. Its rules are tested on the operator's command line. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import type { PutBillingAccount } from '@clarion/protocol/v1/price/tenant-billing';
import { createStore } from '@clarion/store/store';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperatorCtx } from '../consumer/operator.ts';
import { createSecretBox } from '../security/secret-box.ts';
import { book } from './book.ts';
import {
  adjustAccount,
  changeAccount,
  getAccountBilling,
  listAccountTransactions,
  openAccount,
  topUpAccount,
} from './operator-accounts.ts';

const ROUNDS = 8;
const now = new Date();
let testDatabase: TestDatabase;
let db: Database;
let operator: OperatorCtx;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  const secrets = createSecretBox([randomBytes(32).toString('base64')]);
  const baseUrl = 'https://clarion.example';
  operator = {
    actor: { kind: 'operator', id: 'test' },
    surface: 'cli',
    db,
    now,
    log: pino({ level: 'silent' }),
    secrets,
    store: createStore({ provider: 'local', dataDir: '/nonexistent', s3: null }, { secrets, baseUrl }),
    settings: {
      baseUrl,
      ingressDomain: 'sip.example.com',
      allowPrivateEgress: false,
      operatorName: 'Operator',
    },
  };
});
afterAll(() => testDatabase.drop());

const prepaid: PutBillingAccount = {
  mode: 'PREPAID',
  currency: 'USD',
  creditLimit: null,
  invoiceDueDays: 15,
};
/** A consumer of its own for each test. */
async function newConsumer(terms: PutBillingAccount | null = prepaid): Promise<string> {
  const slug = randomUUID();
  await db.consumer.create({ data: { slug, name: slug } });
  if (terms !== null) await openAccount(operator, slug, terms);
  return slug;
}
const set = (slug: string, change: Partial<PutBillingAccount>) =>
  changeAccount(operator, slug, ({ mode, currency, creditLimit, invoiceDueDays }) => ({
    mode,
    currency,
    creditLimit,
    invoiceDueDays,
    ...change,
  }));
const topUp = (slug: string, amount: string) => topUpAccount(operator, slug, { amount, reference: null });
const billingOf = (slug: string) => getAccountBilling(operator, slug);

test('an account is opened once', async () => {
  const slug = await newConsumer(null);
  const opened = await Promise.allSettled(
    Array.from({ length: 6 }, () => openAccount(operator, slug, prepaid)),
  );
  expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const one of opened) {
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'exists' });
  }
  expect(await db.billingAccount.count({ where: { consumer: { slug } } })).toBe(1);
});

test('changes of different terms do not undo each other', async () => {
  const slug = await newConsumer({ ...prepaid, mode: 'POSTPAID' });
  await Promise.all([set(slug, { creditLimit: '500' }), set(slug, { invoiceDueDays: 30 })]);
  expect((await billingOf(slug)).account).toMatchObject({ creditLimit: '500', invoiceDueDays: 30 });
});

test('a top-up is in the currency that the account has when it is booked', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const slug = await newConsumer();
    const [changed, toppedUp] = await Promise.allSettled([set(slug, { currency: 'EUR' }), topUp(slug, '5')]);
    if (toppedUp.status === 'rejected') throw toppedUp.reason;
    const first = changed.status === 'fulfilled';
    if (!first) expect(changed.reason).toMatchObject({ details: { field: 'currency' } });
    expect(toppedUp.value.account).toMatchObject({ currency: first ? 'EUR' : 'USD', balance: '5' });
    expect((await billingOf(slug)).account).toEqual(toppedUp.value.account);
  }
});

test('an account that becomes POSTPAID is topped up before, or not at all', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const slug = await newConsumer();
    const [changed, toppedUp] = await Promise.allSettled([set(slug, { mode: 'POSTPAID' }), topUp(slug, '5')]);
    if (changed.status === 'rejected') throw changed.reason;
    const booked = toppedUp.status === 'fulfilled';
    if (!booked) expect(toppedUp.reason).toMatchObject({ code: 'not_prepaid' });
    expect(changed.value.balance).toBe(booked ? '5' : '0');
    expect((await billingOf(slug)).account).toMatchObject({
      mode: 'POSTPAID',
      balance: booked ? '5' : '0',
    });
  }
});

test('a currency is not changed while a charge is being booked, which does not lock the consumer', async () => {
  const slug = await newConsumer();
  const { id } = await db.billingAccount.findFirstOrThrow({ where: { consumer: { slug } } });
  const entry = { kind: 'CHARGE', amount: '-2', source: 'usage:1', description: null } as const;
  const changing = await db.$transaction(async (tx) => {
    await book(tx, id, entry, now);
    const begun = set(slug, { currency: 'EUR' }).catch((error: unknown) => error);
    const blocked = () => db.$queryRaw<{ n: number }[]>`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await blocked())[0]?.n).toBe(1);
    return { begun };
  });
  expect(await changing.begun).toMatchObject({ details: { field: 'currency' } });
  expect((await billingOf(slug)).account).toMatchObject({ currency: 'USD', balance: '-2' });
});

test('every top-up and adjustment at the same time counts', async () => {
  const slug = await newConsumer();
  const amounts = Array.from({ length: 12 }, (_, index) => index + 1);
  await Promise.all(
    amounts.map((amount) =>
      amount % 2 === 0
        ? topUp(slug, String(amount))
        : adjustAccount(operator, slug, { amount: String(-amount), reason: 'a correction' }),
    ),
  );
  expect((await billingOf(slug)).account?.balance).toBe('6');
  const { transactions, total } = await listAccountTransactions(operator, { slug }, { page: 1, limit: 50 });
  expect(total).toBe(12);
  let sum = 0;
  for (const { amount, balanceAfter } of transactions.toReversed()) {
    sum += Number(amount);
    expect(balanceAfter).toBe(String(sum));
  }
});

test('a balance is low by the rules of a tenant’s, and records no event', async () => {
  const slug = await newConsumer();
  await topUp(slug, '100');
  expect((await billingOf(slug)).lowBalance).toBe(false);
  await adjustAccount(operator, slug, { amount: '-91', reason: 'a correction' });
  expect((await billingOf(slug)).lowBalance).toBe(true);
  const account = await db.billingAccount.findFirstOrThrow({ where: { consumer: { slug } } });
  expect(account.lowBalanceAnnounced).toBe(false);
  expect(await db.event.count({ where: { consumer: { slug } } })).toBe(0);
});
