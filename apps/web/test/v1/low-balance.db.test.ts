/** When the balance of a tenant is low, its consumer is told once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventData } from '@clarion/protocol';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

let web: Web;
let key: string;
beforeAll(async () => {
  web = await startWeb();
  key = (await web.consumer('acme')).apiKey;
});
afterAll(() => web.stop());

type Body = Record<string, unknown>;
const inTenant = (tenantRef: string) => ({ key, path: { tenantRef } });
let tenants = 0;
/** A tenant of its own for each test. */
async function newTenant(account: Body = { mode: 'PREPAID' }): Promise<string> {
  tenants += 1;
  const ref = `tenant-${tenants}`;
  await call('putTenant', { ...inTenant(ref), body: { name: ref } });
  await put(ref, account);
  return ref;
}
const put = (ref: string, body: Body) => call('putBillingAccount', { ...inTenant(ref), body });
const topUp = (ref: string, body: Body) => call('createTopUp', { ...inTenant(ref), body });
const adjust = (ref: string, body: Body) =>
  call('createAdjustment', { ...inTenant(ref), body: { reason: 'a correction', ...body } });
const lowBalances = async (tenantRef: string) => {
  const events = await web.runtime.db.event.findMany({
    where: { type: 'tenant.balance_low', tenantRef },
    orderBy: { id: 'asc' },
  });
  return events.map(({ body }) =>
    eventData['tenant.balance_low'].parse((JSON.parse(body) as { data: unknown }).data),
  );
};

describe('tenant.balance_low', () => {
  test('is recorded once for each time that a prepaid balance falls below 10 % of the last top-up', async () => {
    const ref = await newTenant();
    await topUp(ref, { amount: 100 });
    await adjust(ref, { amount: -90 });
    expect(await lowBalances(ref)).toEqual([]);
    await adjust(ref, { amount: '-0.000001' });
    await adjust(ref, { amount: -5 });
    const [event, ...more] = await lowBalances(ref);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      tenant: { ref },
      account: { mode: 'PREPAID', balance: '9.999999', currency: 'USD' },
    });
    await topUp(ref, { amount: 1000 });
    await adjust(ref, { amount: -950 });
    expect(await lowBalances(ref)).toHaveLength(2);
  });

  test('is recorded once by concurrent changes', async () => {
    const ref = await newTenant();
    await topUp(ref, { amount: 100 });
    await Promise.all(Array.from({ length: 8 }, () => adjust(ref, { amount: -95 })));
    expect(await lowBalances(ref)).toHaveLength(1);
  });

  test('is recorded when more than 90 % of a credit limit is used, also because the limit was lowered', async () => {
    const ref = await newTenant({ mode: 'POSTPAID', credit_limit: 100 });
    await adjust(ref, { amount: -90 });
    expect(await lowBalances(ref)).toEqual([]);
    await put(ref, { mode: 'POSTPAID', credit_limit: 95 });
    await adjust(ref, { amount: -1 });
    expect(await lowBalances(ref)).toHaveLength(1);
    await put(ref, { mode: 'POSTPAID' });
    await adjust(ref, { amount: -1000 });
    expect(await lowBalances(ref)).toHaveLength(1);
  });

  test('is not recorded if the change is rolled back', async () => {
    const ref = await newTenant();
    await adjust(ref, { amount: '-999999999999' });
    const before = await lowBalances(ref);
    expectError(await adjust(ref, { amount: -1 }), 400, 'invalid_request', 'amount');
    expect(await lowBalances(ref)).toEqual(before);
  });
});
