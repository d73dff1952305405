/** The invoices of a month: what they contain, their numbers, and that every transaction is on one of them. */
import type { Consumer, Database, Prisma } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { lockCycle } from './billing-cycle.ts';
import { book } from './book.ts';
import { invoiceMonths } from './invoice-months.ts';

let testDatabase: TestDatabase;
let db: Database;
let consumer: Consumer;
let consumers = 0;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
});
beforeEach(async () => {
  consumers += 1;
  consumer = await db.consumer.create({ data: { slug: `acme-${consumers}`, name: 'Acme' } });
});
afterAll(() => testDatabase.drop());

const operatorName = 'Rook Telecom Ltd';
const january = new Date('2026-01-01T00:00:00Z');
const february = new Date('2026-02-01T00:00:00Z');
const march = new Date('2026-03-01T00:00:00Z');
const minutesAfter = (at: Date, minutes: number) => new Date(at.getTime() + minutes * 60_000);
const monthEnd = (month: Date, batch?: number) =>
  invoiceMonths({ db, now: minutesAfter(month, 10), operatorName }, batch);

interface Opened {
  id: number;
  tenantId: number;
  ref: string;
}
let tenants = 0;
async function open(
  more: Partial<Prisma.BillingAccountUncheckedCreateInput> = {},
  of: Consumer = consumer,
): Promise<Opened> {
  tenants += 1;
  const ref = `tenant-${tenants}`;
  const tenant = await db.tenant.create({ data: { consumerId: of.id, ref, name: `Tenant ${tenants}` } });
  const { id } = await db.billingAccount.create({
    data: {
      consumerId: of.id,
      owner: 'TENANT',
      tenantId: tenant.id,
      tenantRef: ref,
      mode: 'POSTPAID',
      currency: 'USD',
      invoiceDueDays: 15,
      createdAt: january,
      updatedAt: january,
      ...more,
    },
  });
  return { id, tenantId: tenant.id, ref };
}
const use = (
  { tenantId, ref }: Opened,
  tenantCharge: string,
  more: Partial<Prisma.UsageRecordUncheckedCreateInput> = {},
) =>
  db.usageRecord.create({
    data: {
      consumerId: consumer.id,
      tenantId,
      tenantRef: ref,
      kind: 'CALL',
      direction: 'OUTBOUND',
      seconds: 55,
      connectedSeconds: 58,
      billedSeconds: 90,
      createdAt: new Date('2026-01-20T12:00:00Z'),
      tenantCharge,
      tenantCurrency: 'USD',
      ...more,
    },
  });
const invoicesOf = ({ id }: { id: number }) =>
  db.invoice.findMany({
    where: { accountId: id },
    orderBy: { id: 'asc' },
    include: { lines: { orderBy: { position: 'asc' } } },
  });
const balanceOf = async ({ id }: { id: number }) =>
  (await db.billingAccount.findUniqueOrThrow({ where: { id } })).balance.toFixed();
const numbers = async () =>
  (await db.invoice.findMany({ where: { consumerId: consumer.id }, orderBy: { number: 'asc' } })).map(
    ({ number }) => number,
  );

test('an invoice has one line for each kind of usage, and for calls per direction', async () => {
  const account = await open();
  const day = (date: number) => ({ day: new Date(Date.UTC(2026, 0, date)), direction: null });
  await use(account, '0.333333');
  await use(account, '0.333333', { billedSeconds: null });
  await use(account, '0.2', { direction: 'INBOUND', billedSeconds: 60 });
  await use(account, '0.01', { kind: 'RECORDING', direction: null, seconds: 30, billedSeconds: null });
  for (let date = 1; date <= 31; date += 1) {
    await use(account, '0.5', { kind: 'SEAT', quantity: '3', ...day(date) });
    await use(account, '0.1', { kind: 'MONTHLY_FEE', quantity: '1', ...day(date) });
  }
  const adjustment = {
    kind: 'ADJUSTMENT',
    amount: '1.25',
    source: 'adjustment:1',
    description: 'x',
  } as const;
  await book(db, account.id, adjustment, new Date('2026-01-25T00:00:00Z'));
  expect(await monthEnd(february)).toBe(1);
  const [invoice, ...more] = await invoicesOf(account);
  expect(more).toEqual([]);
  expect(
    invoice?.lines.map(({ kind, description, quantity, amount }) =>
      [kind, description, quantity.toFixed(), amount.toFixed()].join(' | '),
    ),
  ).toEqual([
    'CALL | Outbound calls | 2.466667 | 0.666666',
    'CALL | Inbound calls | 1 | 0.2',
    'RECORDING | Recordings | 0.966667 | 0.01',
    'MONTHLY_FEE | Monthly fee | 31 | 3.1',
    'SEAT | Agents | 3 | 15.5',
    'ADJUSTMENT | Adjustments | 1 | -1.25',
  ]);
  expect(invoice).toMatchObject({
    number: 'CL-000001',
    status: 'OPEN',
    currency: 'USD',
    periodFrom: january,
    periodTo: february,
    issuerName: 'Acme',
    customerRef: account.ref,
    issuedAt: minutesAfter(february, 10),
    dueAt: new Date('2026-02-16T00:10:00Z'),
    paidAt: null,
  });
  expect(invoice?.total.toFixed()).toBe('18.23');
});

test.each([
  ['USD', '1.005', '1.01', '-0.005', '-1.01'],
  ['USD', '1.004999', '1', '0.004999', '-1'],
  ['JPY', '1499.5', '1500', '-0.5', '-1500'],
  ['KWD', '2.0005', '2.001', '-0.0005', '-2.001'],
])(
  '%s %s is rounded to %s, and the difference is booked',
  async (currency, charge, total, rounding, balance) => {
    const account = await open({ currency });
    await use(account, charge, { tenantCurrency: currency });
    await monthEnd(february);
    const [invoice] = await invoicesOf(account);
    expect(invoice?.total.toFixed()).toBe(total);
    const [last] = await db.billingTransaction.findMany({
      where: { accountId: account.id },
      orderBy: { id: 'desc' },
      take: 1,
    });
    expect(last).toMatchObject({
      kind: 'ROUNDING',
      invoiceId: invoice?.id,
      source: `rounding:${invoice?.id}`,
    });
    expect(last?.amount.toFixed()).toBe(rounding);
    expect(await balanceOf(account)).toBe(balance);
  },
);

test('what comes to nothing is on no invoice, and stays for the next one', async () => {
  const account = await open();
  await use(account, '0.004');
  expect(await monthEnd(february)).toBe(0);
  await use(account, '0.004', { createdAt: new Date('2026-02-10T00:00:00Z') });
  expect(await monthEnd(march)).toBe(1);
  const [invoice] = await invoicesOf(account);
  expect(invoice?.lines[0]?.amount.toFixed()).toBe('0.008');
  expect(invoice?.periodFrom).toEqual(february);
});

test('a charge belongs to the month of its usage; a late one to the next invoice', async () => {
  const account = await open();
  await use(account, '1', { createdAt: new Date(february.getTime() - 1) });
  await use(account, '10', { createdAt: february });
  await monthEnd(february);
  await use(account, '100', { createdAt: new Date('2026-01-31T23:00:00Z') });
  await monthEnd(march);
  expect((await invoicesOf(account)).map(({ total }) => total.toFixed())).toEqual(['1', '110']);
});

test('a month without a run gets an invoice of its own, and a second run makes nothing', async () => {
  const account = await open();
  await use(account, '1');
  await use(account, '2', { createdAt: new Date('2026-02-10T00:00:00Z') });
  expect(await monthEnd(march)).toBe(2);
  expect(await monthEnd(march)).toBe(0);
  expect((await invoicesOf(account)).map(({ total, periodTo }) => [total.toFixed(), periodTo])).toEqual([
    ['1', february],
    ['2', march],
  ]);
});

test('PREPAID accounts have no invoices, nor has what was charged while an account was one', async () => {
  const account = await open({ mode: 'PREPAID' });
  await use(account, '5');
  expect(await monthEnd(february)).toBe(0);
  const data = { mode: 'POSTPAID', updatedAt: february } as const;
  await db.billingAccount.update({ where: { id: account.id }, data });
  await use(account, '7', { createdAt: new Date('2026-02-02T00:00:00Z') });
  await monthEnd(march);
  expect((await invoicesOf(account)).map(({ total }) => total.toFixed())).toEqual(['7']);
});

test('a deleted tenant gets the invoice of what it used', async () => {
  const account = await open();
  await use(account, '5');
  await db.tenant.delete({ where: { id: account.tenantId } });
  await monthEnd(february);
  expect(await invoicesOf(account)).toMatchObject([
    { customerRef: account.ref, customerName: account.ref, status: 'OPEN' },
  ]);
});

test('a charge whose usage record is gone is invoiced', async () => {
  const account = await open();
  const { id } = await use(account, '5');
  await db.usageRecord.delete({ where: { id } });
  await monthEnd(february);
  const [invoice] = await invoicesOf(account);
  expect(invoice?.lines).toMatchObject([{ kind: 'OTHER', description: 'Other charges' }]);
});

test('a consumer’s own account is invoiced by the operator, whose numbers all consumers share', async () => {
  const charge = { kind: 'CHARGE', amount: '-3', source: 'usage:fee', description: 'Monthly fee' } as const;
  const other = await db.consumer.create({ data: { slug: `other-${consumers}`, name: 'Other' } });
  const own = { tenantId: null, tenantRef: null, owner: 'CONSUMER' } as const;
  const accounts = [await open(own), await open(own, other), await open()];
  for (const { id } of accounts) {
    const source = `charge:${id}`;
    await book(db, id, { ...charge, source }, new Date('2026-01-20T00:00:00Z'));
  }
  await monthEnd(february);
  const made = await Promise.all(accounts.map(async (account) => (await invoicesOf(account))[0]));
  expect(made.map((invoice) => [invoice?.number, invoice?.issuerName, invoice?.customerName])).toEqual([
    ['OP-000001', operatorName, 'Acme'],
    ['OP-000002', operatorName, 'Other'],
    ['CL-000001', 'Acme', expect.stringMatching(/^Tenant /)],
  ]);
});

test('numbers have no gaps and no duplicates when two runs work at the same time', async () => {
  const accounts = [];
  for (let index = 0; index < 30; index += 1) {
    const account = await open();
    if (index % 3 > 0) await use(account, '1.25');
    accounts.push(account);
  }
  const other = testDatabase.connect();
  const now = minutesAfter(february, 10);
  const made = await Promise.all([
    invoiceMonths({ db, now, operatorName }, 4),
    invoiceMonths({ db: other, now, operatorName }, 3),
  ]);
  expect(made[0] + made[1]).toBe(20);
  expect(await numbers()).toEqual(
    Array.from({ length: 20 }, (_, index) => `CL-${String(index + 1).padStart(6, '0')}`),
  );
  for (const account of accounts) expect((await invoicesOf(account)).length).toBeLessThanOrEqual(1);
});

test('a run that fails in a transaction gives its numbers back', async () => {
  const [first, second] = [await open(), await open()];
  await use(first, '1');
  await use(second, '2.22');
  await db.$executeRaw`alter table "InvoiceLine" add constraint "fault" check ("amount" <> 2.22)`;
  await expect(monthEnd(february, 1)).rejects.toThrow('fault');
  await db.$executeRaw`alter table "InvoiceLine" drop constraint "fault"`;
  expect(await numbers()).toEqual(['CL-000001']);
  expect(await monthEnd(february, 1)).toBe(1);
  expect(await numbers()).toEqual(['CL-000001', 'CL-000002']);
});

test('charges that are booked while invoices are made are on exactly one', async () => {
  const account = await open();
  let running = true;
  const charging = (async () => {
    let count = 0;
    while (running || count < 40) {
      await use(account, '0.01', { createdAt: count % 2 === 0 ? january : february });
      count += 1;
    }
    return count;
  })();
  for (const month of [february, march]) await monthEnd(month);
  running = false;
  const count = await charging;
  await monthEnd(new Date('2026-04-01T00:00:00Z'));
  const invoices = await invoicesOf(account);
  const total = invoices.reduce((sum, invoice) => sum + Math.round(Number(invoice.total) * 100), 0);
  expect(total).toBe(count);
  const left = { accountId: account.id, kind: 'CHARGE', invoiceId: null } as const;
  expect(await db.billingTransaction.count({ where: left })).toBe(0);
});

test('a charge does not wait for whoever makes the invoice of its account', async () => {
  const account = await open();
  const other = testDatabase.connect();
  await other.$transaction(async (tx) => {
    expect(await lockCycle(tx, operatorName, account.id)).not.toBeNull();
    await use(account, '1');
  });
  expect(await balanceOf(account)).toBe('-1');
});

test('an account whose cycle is locked is left for the next run, and the others are invoiced', async () => {
  const [locked, free] = [await open(), await open()];
  await use(locked, '1');
  await use(free, '2');
  const other = testDatabase.connect();
  await other.$transaction(async (tx) => {
    await lockCycle(tx, operatorName, locked.id);
    await monthEnd(february);
  });
  expect(await invoicesOf(free)).toHaveLength(1);
  expect(await invoicesOf(locked)).toEqual([]);
  await monthEnd(february);
  expect(await invoicesOf(locked)).toHaveLength(1);
});

test('a transaction is never moved to another invoice', async () => {
  const account = await open();
  await use(account, '1');
  await monthEnd(february);
  const where = { accountId: account.id };
  await expect(db.billingTransaction.updateMany({ where, data: { invoiceId: 7 } })).rejects.toThrow();
  await expect(db.billingTransaction.updateMany({ where, data: { invoiceId: null } })).rejects.toThrow();
});
