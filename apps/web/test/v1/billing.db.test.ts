/** Billing accounts of tenants: opening and changing them, top-ups, adjustments and their transactions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchedSession, staffSession } from '../dashboard.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

let web: Web;
let key: string;
let foreignKey: string;
beforeAll(async () => {
  web = await startWeb();
  key = (await web.consumer('acme')).apiKey;
  foreignKey = (await web.consumer('rival')).apiKey;
});
afterAll(() => web.stop());

type Body = Record<string, unknown>;
const inTenant = (tenantRef: string, as = key) => ({ key: as, path: { tenantRef } });
let tenants = 0;
/** A tenant of its own for each test. */
async function newTenant(account: Body | null = { mode: 'PREPAID' }): Promise<string> {
  tenants += 1;
  const ref = `tenant-${tenants}`;
  await call('putTenant', { ...inTenant(ref), body: { name: ref } });
  if (account) expect((await put(ref, account)).status).toBe(200);
  return ref;
}
const put = (ref: string, body: Body, as = key) => call('putBillingAccount', { ...inTenant(ref, as), body });
const get = (ref: string, as = key) => call('getTenantBilling', inTenant(ref, as));
const accountOf = async (ref: string) => (await get(ref)).json.account;
const topUp = (ref: string, body: Body, headers: Record<string, string> = {}) =>
  call('createTopUp', { ...inTenant(ref), body, headers });
const adjust = (ref: string, body: Body, headers: Record<string, string> = {}) =>
  call('createAdjustment', { ...inTenant(ref), body: { reason: 'a correction', ...body }, headers });
const list = async (ref: string, query = '') =>
  (await call('listTransactions', { ...inTenant(ref), query })).json;
const planId = async (currency: string) =>
  (await call('createPricePlan', { key, body: { name: currency, currency } })).json.plan.id;
const assign = (ref: string, price_plan_id: number | null) =>
  call('putTenantPricePlan', { ...inTenant(ref), body: { price_plan_id } });

describe('an account', () => {
  test('is null until it is opened, and shows the price plan of the tenant', async () => {
    const ref = await newTenant(null);
    expect((await get(ref)).json).toEqual({
      tenantRef: ref,
      pricePlanId: null,
      account: null,
      lowBalance: false,
    });
    const id = await planId('USD');
    await assign(ref, id);
    expect((await get(ref)).json.pricePlanId).toBe(id);
  });

  test('is opened with defaults', async () => {
    const ref = await newTenant(null);
    const { account } = (await put(ref, { mode: ' prepaid ' })).json;
    expect(account).toMatchObject({
      mode: 'PREPAID',
      status: 'ACTIVE',
      currency: 'USD',
      balance: '0',
      creditLimit: null,
      invoiceDueDays: 15,
    });
    expect(await accountOf(ref)).toEqual(account);
  });

  test('says whether its balance is low', async () => {
    const ref = await newTenant();
    await topUp(ref, { amount: '10' });
    await adjust(ref, { amount: '-9' });
    expect((await get(ref)).json.lowBalance).toBe(false);
    await adjust(ref, { amount: '-0.000001' });
    expect((await get(ref)).json.lowBalance).toBe(true);
  });

  test('is replaced as a whole, and keeps its balance', async () => {
    const ref = await newTenant({ mode: 'POSTPAID', credit_limit: '250.50', invoice_due_days: 30 });
    expect(await accountOf(ref)).toMatchObject({ creditLimit: '250.5', invoiceDueDays: 30 });
    await adjust(ref, { amount: -20 });
    expect((await put(ref, { mode: 'PREPAID' })).json.account).toMatchObject({
      mode: 'PREPAID',
      balance: '-20',
      creditLimit: null,
      invoiceDueDays: 15,
    });
    expect((await put(ref, { mode: 'POSTPAID' })).json.account).toMatchObject({
      mode: 'POSTPAID',
      balance: '-20',
      creditLimit: null,
    });
    expect(await web.runtime.db.billingAccount.count({ where: { tenantRef: ref } })).toBe(1);
  });

  test('is opened once by concurrent requests', async () => {
    const ref = await newTenant(null);
    const answers = await Promise.all(Array.from({ length: 6 }, () => put(ref, { mode: 'PREPAID' })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await web.runtime.db.billingAccount.count({ where: { tenantRef: ref } })).toBe(1);
  });

  test('has a credit limit only in mode POSTPAID', async () => {
    const ref = await newTenant(null);
    const refused = await put(ref, { mode: 'PREPAID', credit_limit: 5 });
    expectError(refused, 400, 'invalid_request', 'credit_limit');
    expect(await accountOf(ref)).toBeNull();
  });

  test('of an unknown tenant, or of another consumer, is not found', async () => {
    const ref = await newTenant();
    for (const [as, tenant] of [
      [key, 'nobody'],
      [foreignKey, ref],
    ] as const) {
      const at = inTenant(tenant, as);
      expectError(await call('getTenantBilling', at), 404, 'not_found');
      expectError(await call('listTransactions', at), 404, 'not_found');
      expectError(await put(tenant, { mode: 'PREPAID' }, as), 404, 'not_found');
      expectError(await call('createTopUp', { ...at, body: { amount: 1 } }), 404, 'not_found');
      const body = { amount: 1, reason: 'x' };
      expectError(await call('createAdjustment', { ...at, body }), 404, 'not_found');
    }
    expect((await list(ref)).total).toBe(0);
  });

  test('is required for transactions', async () => {
    const ref = await newTenant(null);
    expectError(await call('listTransactions', inTenant(ref)), 404, 'not_found');
    expectError(await topUp(ref, { amount: 1 }), 404, 'not_found');
    expectError(await adjust(ref, { amount: 1 }), 404, 'not_found');
  });
});

describe('the currency', () => {
  test('changes only while the balance is zero; if it is omitted, it is USD', async () => {
    const ref = await newTenant({ mode: 'PREPAID', currency: 'eur' });
    await topUp(ref, { amount: 10 });
    expectError(await put(ref, { mode: 'PREPAID', currency: 'GBP' }), 400, 'invalid_request', 'currency');
    expectError(await put(ref, { mode: 'PREPAID' }), 400, 'invalid_request', 'currency');
    expect((await put(ref, { mode: 'POSTPAID', currency: 'EUR' })).status).toBe(200);
    await adjust(ref, { amount: -10 });
    expect((await put(ref, { mode: 'PREPAID' })).json.account.currency).toBe('USD');
  });

  test('is that of the price plan, whichever is set first', async () => {
    const [euros, dollars] = [await planId('EUR'), await planId('USD')];
    const ref = await newTenant(null);
    await assign(ref, euros);
    expectError(await put(ref, { mode: 'PREPAID' }), 400, 'invalid_request', 'currency');
    expect((await put(ref, { mode: 'PREPAID', currency: 'EUR' })).status).toBe(200);
    expectError(await assign(ref, dollars), 400, 'invalid_request', 'price_plan_id');
    expect((await assign(ref, null)).status).toBe(200);
    expect((await put(ref, { mode: 'PREPAID', currency: 'USD' })).status).toBe(200);
    expect((await assign(ref, dollars)).status).toBe(200);
  });
});

test('a price plan and an account that are set at the same time have one currency', async () => {
  const euros = await planId('EUR');
  for (let round = 0; round < 8; round += 1) {
    const ref = await newTenant(null);
    const [assigned, opened] = await Promise.all([assign(ref, euros), put(ref, { mode: 'PREPAID' })]);
    if (assigned.status === 200) expectError(opened, 400, 'invalid_request', 'currency');
    else {
      expectError(assigned, 400, 'invalid_request', 'price_plan_id');
      expect(opened.status).toBe(200);
    }
  }
});

describe('a top-up', () => {
  test('adds to the balance, and is listed with its reference', async () => {
    const ref = await newTenant();
    const { json } = await topUp(ref, { amount: '50.00', reference: ' card payment 7712 ' });
    expect(json.balance).toBe('50');
    expect(json.account).toEqual(await accountOf(ref));
    expect((await topUp(ref, { amount: 0.01 })).json.balance).toBe('50.01');
    const { transactions } = await list(ref);
    expect(transactions).toMatchObject([
      { kind: 'TOP_UP', amount: '0.01', balanceAfter: '50.01', description: null },
      { kind: 'TOP_UP', amount: '50', balanceAfter: '50', description: 'card payment 7712' },
    ]);
    expect(transactions.map(({ callId, invoiceId }) => [callId, invoiceId])).toEqual([
      [null, null],
      [null, null],
    ]);
  });

  test('is for PREPAID accounts', async () => {
    const ref = await newTenant({ mode: 'POSTPAID' });
    expectError(await topUp(ref, { amount: 5 }), 409, 'not_prepaid');
    expect((await list(ref)).total).toBe(0);
  });

  test.each([0, '0.009', -1, 'much', null])('of %s is rejected', async (amount) => {
    const ref = await newTenant();
    expectError(await topUp(ref, { amount }), 400, 'invalid_request', 'amount');
  });

  test('has 6 decimals in every currency', async () => {
    const ref = await newTenant({ mode: 'PREPAID', currency: 'JPY' });
    expect((await topUp(ref, { amount: '0.010001' })).json.balance).toBe('0.010001');
  });

  test('counts with every other at the same time', async () => {
    const ref = await newTenant();
    const amounts = Array.from({ length: 12 }, (_, index) => index + 1);
    await Promise.all(amounts.map((amount) => topUp(ref, { amount })));
    expect((await accountOf(ref))?.balance).toBe('78');
    let sum = 0;
    for (const { amount, balanceAfter } of (await list(ref)).transactions.toReversed()) {
      sum += Number(amount);
      expect(balanceAfter).toBe(String(sum));
    }
    expect(sum).toBe(78);
  });

  test('is booked once under an Idempotency-Key, also by concurrent requests', async () => {
    const ref = await newTenant();
    const once = () => topUp(ref, { amount: 20 }, { 'idempotency-key': `top-up ${ref}` });
    const first = await once();
    await topUp(ref, { amount: 1 });
    const again = await once();
    expect(again.json).toEqual(first.json);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = () => topUp(ref, { amount: 100 }, { 'idempotency-key': `both ${ref}` });
    for (const { status, error } of await Promise.all([other(), other()]))
      expect([201, 409]).toContain(error?.code === 'idempotency_key_in_use' ? 409 : status);
    expect((await accountOf(ref))?.balance).toBe('121');
    expect((await list(ref)).total).toBe(3);
  });

  test('never makes a balance that cannot be stored', async () => {
    const ref = await newTenant();
    await topUp(ref, { amount: '999999999999' });
    expectError(await topUp(ref, { amount: 1 }), 400, 'invalid_request', 'amount');
    expect((await topUp(ref, { amount: '0.999999' })).json.balance).toBe('999999999999.999999');
    expect((await list(ref)).total).toBe(2);
  });
});

describe('an adjustment', () => {
  test('is a credit or a debit in both modes, also below zero, with its reason', async () => {
    for (const mode of ['PREPAID', 'POSTPAID']) {
      const ref = await newTenant({ mode });
      expect((await adjust(ref, { amount: '2.5' })).json.balance).toBe('2.5');
      const { json } = await adjust(ref, { amount: '-12.500001', reason: 'undercharged for call 4711' });
      expect(json.balance).toBe('-10.000001');
      expect((await list(ref)).transactions[0]).toMatchObject({
        kind: 'ADJUSTMENT',
        amount: '-12.500001',
        balanceAfter: '-10.000001',
        description: 'undercharged for call 4711',
      });
    }
  });

  test('has an amount and a reason', async () => {
    const ref = await newTenant();
    expectError(await adjust(ref, { amount: 0 }), 400, 'invalid_request', 'amount');
    expectError(await adjust(ref, { amount: 1, reason: ' ' }), 400, 'invalid_request', 'reason');
    expectError(
      await call('createAdjustment', { ...inTenant(ref), body: { amount: 1 } }),
      400,
      'invalid_request',
      'reason',
    );
    expectError(await adjust(ref, { amount: '0.0000001' }), 400, 'invalid_request', 'amount');
  });

  test('is booked once under an Idempotency-Key', async () => {
    const ref = await newTenant();
    const once = () => adjust(ref, { amount: -3 }, { 'idempotency-key': `adjust ${ref}` });
    expect((await once()).json).toEqual((await once()).json);
    expect((await accountOf(ref))?.balance).toBe('-3');
  });
});

test('transactions are listed in pages, newest first', async () => {
  const ref = await newTenant();
  for (let amount = 1; amount <= 5; amount += 1) await topUp(ref, { amount });
  const amountsOf = async (query: string) =>
    (await list(ref, query)).transactions.map(({ amount }) => amount);
  expect(await amountsOf('')).toEqual(['5', '4', '3', '2', '1']);
  expect(await amountsOf('limit=2')).toEqual(['5', '4']);
  expect(await amountsOf('limit=2&page=3')).toEqual(['1']);
  expect(await amountsOf('limit=2&page=4')).toEqual([]);
  const { page, limit, total } = await list(ref, 'page=2&limit=2');
  expect({ page, limit, total }).toEqual({ page: 2, limit: 2, total: 5 });
  expect((await list(ref)).limit).toBe(50);
});

test('changes are in the audit log', async () => {
  const ref = await newTenant({ mode: 'POSTPAID', credit_limit: 7 });
  await put(ref, { mode: 'PREPAID' });
  await topUp(ref, { amount: 8 });
  await adjust(ref, { amount: -3 });
  const { entries } = (await call('listAuditLog', { key, query: 'action=billing_account&limit=3' })).json;
  expect(entries.map(({ action, target }) => [action, target])).toEqual([
    ['billing_account.adjust', ref],
    ['billing_account.top_up', ref],
    ['billing_account.put', ref],
  ]);
  expect(entries[0]?.details).toEqual({ amount: '-3', currency: 'USD' });
});

describe('in the dashboard', () => {
  test('only owners have access; people launched into the tenant may read', async () => {
    const ref = await newTenant();
    await topUp(ref, { amount: 5 });
    const path = { tenantRef: ref };
    const reads = ['getTenantBilling', 'listTransactions'] as const;
    const writes = {
      putBillingAccount: { mode: 'PREPAID' },
      createTopUp: { amount: 1 },
      createAdjustment: { amount: 1, reason: 'x' },
    } as const;
    const names = ['putBillingAccount', 'createTopUp', 'createAdjustment'] as const;
    const owner = await staffSession(web, 'acme', 'OWNER');
    const admin = await staffSession(web, 'acme', 'ADMIN');
    for (const name of reads) {
      expect((await call(name, { ...owner, path })).status).toBe(200);
      expectError(await call(name, { ...admin, path }), 403, 'forbidden');
    }
    for (const name of names) {
      expect((await call(name, { ...owner, path, body: writes[name] })).status).toBeLessThan(300);
      expectError(await call(name, { ...admin, path, body: writes[name] }), 403, 'forbidden');
    }
    const elsewhere = await newTenant();
    for (const role of ['OWNER', 'ADMIN', 'SUPERVISOR'] as const) {
      const launched = await launchedSession(web, 'acme', ref, role);
      for (const name of reads) {
        expect((await call(name, { ...launched, path })).status).toBe(200);
        expectError(await call(name, { ...launched, path: { tenantRef: elsewhere } }), 404, 'not_found');
      }
      for (const name of names) {
        expectError(await call(name, { ...launched, path, body: writes[name] }), 403, 'forbidden');
      }
    }
    expect((await accountOf(ref))?.balance).toBe('7');
  });
});

test('the ledger outlives its tenant, and a tenant created under the same ref has no account', async () => {
  const ref = await newTenant();
  await topUp(ref, { amount: 40 });
  await call('putTenant', { ...inTenant(ref), body: { name: ref, status: 'SUSPENDED' } });
  expect((await call('deleteTenant', inTenant(ref))).status).toBe(204);
  const kept = await web.runtime.db.billingAccount.findFirstOrThrow({
    where: { tenantRef: ref },
    include: { transactions: true },
  });
  expect(kept.tenantId).toBeNull();
  expect(kept.balance.toFixed()).toBe('40');
  expect(kept.transactions).toHaveLength(1);
  await call('putTenant', { ...inTenant(ref), body: { name: ref } });
  expect(await accountOf(ref)).toBeNull();
  expectError(await call('listTransactions', inTenant(ref)), 404, 'not_found');
  expect((await put(ref, { mode: 'PREPAID', currency: 'EUR' })).json.account.balance).toBe('0');
});

test('a top-up that starts while its tenant is being deleted is a 404, and books nothing', async () => {
  const ref = await newTenant();
  const { db } = web.runtime;
  const late = await db.$transaction(async (tx) => {
    await tx.tenant.deleteMany({ where: { ref } });
    const begun = [topUp(ref, { amount: 5 }), adjust(ref, { amount: -5 })];
    const blocked = () => db.$queryRaw<{ n: number }[]>`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await blocked())[0]?.n).toBe(2);
    return begun;
  });
  for (const answer of await Promise.all(late)) expectError(answer, 404, 'not_found');
  const kept = await db.billingAccount.findFirstOrThrow({
    where: { tenantRef: ref },
    include: { transactions: true },
  });
  expect(kept.transactions).toEqual([]);
});
