/** Charges on billing accounts, and outbound calls that a tenant's account cannot pay. */
import { announceLowBalances } from '@clarion/core/billing/announce-low-balances';
import type { Prisma } from '@clarion/db';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

let web: Web;
let key: string;
let tenantId: number;
let consumerId: number;
let planId: number;

beforeAll(async () => {
  web = await startWeb();
  const fixture = await createTenantFixture(web, 'acme');
  ({ key } = fixture);
  ({ id: tenantId, consumerId } = await web.runtime.db.tenant.findFirstOrThrow({ where: { ref: 'shop' } }));
  await call('putChannel', {
    key,
    path: { tenantRef: 'shop', channelRef: 'main' },
    body: { type: 'SIP', address: '+442071838750', sip_trunk_id: fixture.trunkId },
  });
  const items = [{ kind: 'CALL', method: 'FLAT', direction: 'OUTBOUND', flat_rate: '0.6' }];
  const body = { name: 'Standard', currency: 'USD', items };
  planId = (await call('createPricePlan', { key, body })).json.plan.id;
});
afterAll(() => web.stop());

const inShop = { path: { tenantRef: 'shop' } };
const putPlan = (price_plan_id: number | null) =>
  call('putTenantPricePlan', { ...inShop, key, body: { price_plan_id } });
/** Replaces the account of the tenant, which cannot be deleted, by a new one. */
async function openAccount(body: object = { mode: 'PREPAID' }): Promise<number> {
  const { db } = web.runtime;
  await db.billingAccount.updateMany({ where: { tenantId }, data: { tenantId: null } });
  expect((await call('putBillingAccount', { ...inShop, key, body })).status).toBe(200);
  return (await db.billingAccount.findUniqueOrThrow({ where: { tenantId } })).id;
}
const topUp = (amount: string) => call('createTopUp', { ...inShop, key, body: { amount } });
const adjust = (amount: string) =>
  call('createAdjustment', { ...inShop, key, body: { amount, reason: 'a correction' } });
const balance = async () => (await call('getTenantBilling', { ...inShop, key })).json.account?.balance;
const transactions = async () =>
  (await call('listTransactions', { ...inShop, key, query: '' })).json.transactions;

beforeEach(() => putPlan(planId));

describe('an outbound call', () => {
  const place = async () => {
    const body = { channel_ref: 'main', agent_ref: 'ada', customer: { address: '+442079460123' } };
    const { status, error } = await call('createCall', { ...inShop, key, body });
    return error?.code ?? status;
  };
  const setStatus = (status: 'OUTBOUND_BLOCKED' | 'SUSPENDED') =>
    web.runtime.db.billingAccount.update({ where: { tenantId }, data: { status } });
  const postpaid = (credit_limit: string | null) => openAccount({ mode: 'POSTPAID', credit_limit });

  test.each<[string, () => Promise<unknown>, string]>([
    ['prepaid, nothing left', () => openAccount(), 'tenant_outbound_blocked'],
    [
      'prepaid, less than the first block',
      () => openAccount().then(() => topUp('0.599999')),
      'tenant_insufficient_balance',
    ],
    ['postpaid, at the limit', () => postpaid('5').then(() => adjust('-5')), 'tenant_outbound_blocked'],
    [
      'postpaid, less than the first block below the limit',
      () => postpaid('5').then(() => adjust('-4.5')),
      'tenant_insufficient_balance',
    ],
    ['blocked', () => postpaid(null).then(() => setStatus('OUTBOUND_BLOCKED')), 'tenant_outbound_blocked'],
    ['suspended', () => postpaid(null).then(() => setStatus('SUSPENDED')), 'tenant_suspended'],
  ])('is refused with 402: %s', async (_, prepare, code) => {
    await prepare();
    expect(await place()).toBe(code);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['prepaid, exactly the first block', () => openAccount().then(() => topUp('0.6'))],
    ['postpaid without a limit', () => postpaid(null).then(() => adjust('-1000'))],
    ['without a plan', () => openAccount().then(() => putPlan(null))],
  ])('is placed: %s', async (_, prepare) => {
    await prepare();
    expect(await place()).toBe(201);
  });
});

describe('a charge', () => {
  const used = (more: Partial<Prisma.UsageRecordUncheckedCreateInput> = {}) =>
    web.runtime.db.usageRecord.create({
      data: {
        consumerId,
        tenantId,
        tenantRef: 'shop',
        kind: 'CALL',
        direction: 'OUTBOUND',
        seconds: 60,
        createdAt: new Date(Date.now() + 1_000),
        tenantCharge: '0.6',
        tenantCurrency: 'USD',
        ...more,
      },
    });
  const day = new Date('2026-01-31T00:00:00Z');

  test('of each kind is a transaction with the balance after it', async () => {
    await openAccount();
    await topUp('10');
    await used({ callId: 71 });
    await used({ callId: 71, kind: 'RECORDING', direction: null, tenantCharge: '0.000001' });
    await used({ callId: 72, direction: 'INBOUND' });
    for (const kind of ['MONTHLY_FEE', 'SEAT', 'NUMBER', 'STORAGE'] as const)
      await used({ kind, direction: null, day, tenantCharge: '1' });
    const [top] = (await transactions()).toReversed();
    expect(top).toMatchObject({ kind: 'TOP_UP' });
    expect((await transactions()).toReversed().slice(1)).toMatchObject([
      { kind: 'CHARGE', amount: '-0.6', balanceAfter: '9.4', description: 'Outbound call', callId: 71 },
      { amount: '-0.000001', balanceAfter: '9.399999', description: 'Recording', callId: 71 },
      { amount: '-0.6', balanceAfter: '8.799999', description: 'Inbound call', callId: 72 },
      { amount: '-1', description: 'Monthly fee, 2026-01-31', callId: null },
      { amount: '-1', description: 'Agents on 2026-01-31' },
      { amount: '-1', description: 'Numbers on 2026-01-31' },
      { amount: '-1', balanceAfter: '4.799999', description: 'Storage on 2026-01-31' },
    ]);
    expect(await balance()).toBe('4.799999');
  });

  test('is booked once, when usage without a price gets one', async () => {
    await openAccount();
    const { id } = await used({ tenantCharge: null, tenantCurrency: null });
    expect(await balance()).toBe('0');
    const priced = { tenantCharge: '0.25', tenantCurrency: 'USD' };
    await web.runtime.db.usageRecord.update({ where: { id }, data: priced });
    await web.runtime.db.usageRecord.update({ where: { id }, data: priced });
    await web.runtime.db.usageRecord.update({
      where: { id },
      data: { pricedNumber: null, numberErased: true },
    });
    expect(await balance()).toBe('-0.25');
  });

  test('is not booked: in another currency, from before the account was opened, or of zero', async () => {
    await openAccount();
    await used({ tenantCurrency: 'EUR' });
    await used({ createdAt: new Date('2026-01-01T00:00:00Z') });
    await used({ tenantCharge: '0' });
    expect(await transactions()).toEqual([]);
  });

  test('of many calls that end at once leaves none out', async () => {
    await openAccount();
    await Promise.all(Array.from({ length: 40 }, () => used({ tenantCharge: '0.1' })));
    expect(await balance()).toBe('-4');
    const after = (await transactions()).map(({ balanceAfter }) => Number(balanceAfter));
    expect(after).toEqual(Array.from({ length: 40 }, (_, index) => -(40 - index) / 10));
  });

  test('that makes the balance low is announced once', async () => {
    const accountId = await openAccount();
    await topUp('10');
    await used({ tenantCharge: '9' });
    const { db } = web.runtime;
    const { id: earlier = 0 } = (await db.event.findFirst({ orderBy: { id: 'desc' } })) ?? {};
    const announced = async () => {
      await announceLowBalances(db, new Date());
      const events = await db.event.findMany({
        where: { type: 'tenant.balance_low', id: { gt: earlier } },
        orderBy: { id: 'asc' },
      });
      return events.map(({ body }) => JSON.parse(body).data.account.balance);
    };
    expect(await announced()).toEqual([]);
    await used({ tenantCharge: '0.5' });
    expect(await announced()).toEqual(['0.5']);
    await used({ tenantCharge: '0.1' });
    expect(await announced()).toEqual(['0.5']);
    expect(
      (await db.billingAccount.findUniqueOrThrow({ where: { id: accountId } })).lowBalanceAnnounced,
    ).toBe(true);
  });
});
