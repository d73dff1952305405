/** Usage records: their list, and prices that they get afterwards. */
import type { BillingAccount, Prisma } from '@clarion/db';
import { repriceUsage } from '@clarion/core/usage/reprice-usage';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

let web: Web;
let key: string;
let consumerId: number;
let tenantId: number;
let trunkId: number;
let buyDeckId: number;
let sellDeckId: number;
const NOW = new Date('2026-05-04T10:00:00.000Z');
const BEGAN = new Date('2026-05-01T10:00:00.000Z');

beforeAll(async () => {
  web = await startWeb();
  key = (await web.consumer('acme')).apiKey;
  await call('putTenant', { key, path: { tenantRef: 'shop' }, body: { name: 'Shop' } });
  const { db } = web.runtime;
  consumerId = (await db.consumer.findFirstOrThrow({ where: { slug: 'acme' } })).id;
  tenantId = (await db.tenant.findFirstOrThrow({ where: { ref: 'shop' } })).id;
  const trunk = { consumerId, name: 'own', host: 'carrier.test', ingressLabel: 'own' };
  trunkId = (await db.sipTrunk.create({ data: trunk })).id;
});
afterAll(() => web.stop());

beforeEach(async () => {
  const { db } = web.runtime;
  web.setNow(NOW);
  await db.usageRecord.deleteMany({});
  await db.tenant.updateMany({ data: { pricePlanId: null } });
  await db.sipTrunk.update({ where: { id: trunkId }, data: { buyDeckId: null, inboundBuyDeckId: null } });
  await db.pricePlan.deleteMany({});
  await db.rateDeck.deleteMany({});
  const deck = async (kind: 'BUY' | 'SELL') =>
    (await db.rateDeck.create({ data: { consumerId, name: kind, currency: 'USD', kind } })).id;
  [buyDeckId, sellDeckId] = [await deck('BUY'), await deck('SELL')];
});

const price = (deckId: number, prefix: string, rate: string, effectiveFrom: Date, effectiveTo?: Date) =>
  web.runtime.db.rateEntry.create({
    data: {
      deckId,
      prefix,
      rate,
      effectiveFrom,
      effectiveTo: effectiveTo ?? null,
      initialSeconds: 60,
      incrementSeconds: 60,
      connectionFee: '0',
    },
  });

const record = (change: Partial<Prisma.UsageRecordUncheckedCreateInput> = {}) =>
  web.runtime.db.usageRecord.create({
    data: {
      consumerId,
      tenantId,
      tenantRef: 'shop',
      callId: Math.trunc(Math.random() * 1e9),
      kind: 'CALL',
      direction: 'OUTBOUND',
      channelType: 'SIP',
      trunkOwner: 'CONSUMER',
      sipTrunkId: trunkId,
      seconds: 89,
      connectedSeconds: 90,
      startedAt: BEGAN,
      pricedNumber: '442079460001',
      createdAt: new Date(BEGAN.getTime() + 90_000),
      ...change,
    },
  });

const useBuyDeck = () => web.runtime.db.sipTrunk.update({ where: { id: trunkId }, data: { buyDeckId } });

async function usePlan(item: Partial<Prisma.PriceItemUncheckedCreateInput>) {
  const plan = await web.runtime.db.pricePlan.create({
    data: { consumerId, name: 'Plan', currency: 'USD' },
  });
  await web.runtime.db.priceItem.create({
    data: {
      planId: plan.id,
      position: 0,
      kind: 'CALL',
      method: 'FLAT',
      initialSeconds: 60,
      incrementSeconds: 60,
      ...item,
    },
  });
  await web.runtime.db.tenant.update({ where: { id: tenantId }, data: { pricePlanId: plan.id } });
}

const reprice = async (body: object = {}) => (await call('repriceUsage', { key, body })).json;
const rowOf = async (id: number) => {
  const row = await web.runtime.db.usageRecord.findUniqueOrThrow({ where: { id } });
  return {
    billed: row.billedSeconds,
    carrier: row.carrierCost?.toFixed() ?? null,
    platform: row.platformCost?.toFixed() ?? null,
    tenant: row.tenantCharge?.toFixed() ?? null,
    reason: row.carrierReason,
  };
};

test('the list is paged, newest first, by tenant and window, and of this account only', async () => {
  const { db } = web.runtime;
  const MINUTE = 60_000;
  const now = new Date('2026-03-31T12:00:00.000Z');
  web.setNow(now);
  const before = (ms: number) => new Date(now.getTime() - ms);
  const listed = (minutes: number) => ({
    seconds: minutes,
    connectedSeconds: minutes,
    createdAt: before(minutes * MINUTE),
  });
  const usage = async (query: string) => (await call('listUsage', { key, query })).json;
  await call('putTenant', { key, path: { tenantRef: 'other' }, body: { name: 'Other' } });
  const other = await db.tenant.findFirstOrThrow({ where: { ref: 'other' } });
  for (let minute = 1; minute <= 7; minute += 1) await record(listed(minute));
  await record({ ...listed(8), tenantId: other.id, tenantRef: 'other' });
  await record({ ...listed(9), createdAt: before(31 * 24 * 60 * MINUTE) });
  const seconds = async (query: string) => (await usage(query)).usage.map((one) => one.seconds);
  expect(await seconds('')).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(await usage('limit=3&page=2&tenant_ref=shop')).toMatchObject({ page: 2, limit: 3, total: 7 });
  expect(await seconds('limit=3&page=2&tenant_ref=shop')).toEqual([4, 5, 6]);
  expect(await seconds('page=4&limit=3')).toEqual([]);
  expect(await seconds('tenant_ref=other')).toEqual([8]);
  expect(
    await seconds(`from=${before(3 * MINUTE).toISOString()}&to=${before(MINUTE).toISOString()}`),
  ).toEqual([2, 3]);
  expect((await usage('from=2026-02-01')).usage.at(-1)).toMatchObject({
    billedSeconds: null,
    carrierCost: { status: 'NO_RATE', reason: 'No rate deck applies to this call.' },
  });
  const stranger = (await web.consumer('outsider')).apiKey;
  expect((await call('listUsage', { key: stranger })).json).toMatchObject({ usage: [], total: 0 });
  expectError(await call('listUsage', { key: stranger, query: 'tenant_ref=shop' }), 404, 'not_found');
  for (const [query, field] of [
    ['from=2025-01-01&to=2026-02-06', 'from'],
    ['from=2026-01-02&to=2026-01-02', 'to'],
    ['from=soon', 'from'],
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['page=0', 'page'],
  ] as const) {
    expectError(await call('listUsage', { key, query }), 400, 'invalid_request', field);
  }
  expect((await call('listUsage', { key, query: 'from=2025-01-01&to=2026-02-05&limit=200' })).status).toBe(
    200,
  );
});

describe('repricing', () => {
  test('finds the price that was in force at the start of the call, and no other', async () => {
    await useBuyDeck();
    await price(buyDeckId, '44', '0.01', new Date('2026-01-01'), NOW);
    await price(buyDeckId, '44', '0.5', NOW);
    await price(buyDeckId, '4420', '0.9', new Date('2026-05-02'));
    const { id } = await record();
    expect(await reprice()).toMatchObject({ cleared: 1, ratings: 1 });
    expect(await rowOf(id)).toMatchObject({ billed: 120, carrier: '0.02' });
  });

  test('falls back to the price of now where there was none, so that a deck can be imported afterwards', async () => {
    await useBuyDeck();
    await price(buyDeckId, '44', '0.01', new Date('2026-05-03'));
    const { id } = await record();
    await reprice();
    expect(await rowOf(id)).toMatchObject({ carrier: '0.02' });
  });

  test('keeps what has a price, leaves the platform alone, and finds nothing more the second time', async () => {
    await useBuyDeck();
    await price(buyDeckId, '44', '0.01', new Date('2026-01-01'));
    await usePlan({ flatRate: '0.1' });
    const priced = { carrierCost: '7', carrierCurrency: 'USD', platformCost: '3', platformCurrency: 'USD' };
    const { id } = await record(priced);
    expect(await reprice()).toMatchObject({ cleared: 1, ratings: 1 });
    expect(await rowOf(id)).toEqual({
      billed: 120,
      carrier: '7',
      platform: '3',
      tenant: '0.2',
      reason: null,
    });
    expect(await reprice()).toMatchObject({ cleared: 0, ratings: 0 });
  });

  test('a markup without a deck is on the cost that the record has', async () => {
    await useBuyDeck();
    await price(buyDeckId, '44', '99', new Date('2026-01-01'));
    await usePlan({ method: 'DECK_MARKUP', markupPercent: '50' });
    const own = await record({ carrierCost: '0.03', carrierCurrency: 'USD' });
    const platform = await record({ trunkOwner: 'PLATFORM', platformCost: '0.05', platformCurrency: 'USD' });
    const euro = await record({ carrierCost: '0.03', carrierCurrency: 'EUR' });
    await reprice();
    expect((await rowOf(own.id)).tenant).toBe('0.045');
    expect((await rowOf(platform.id)).tenant).toBe('0.075');
    expect((await rowOf(euro.id)).tenant).toBeNull();
  });

  test("a markup without a deck is on the carrier's price that the same run finds, not on the platform's", async () => {
    await useBuyDeck();
    await price(buyDeckId, '44', '0.01', new Date('2026-01-01'));
    await usePlan({ method: 'DECK_MARKUP', markupPercent: '50' });
    const platform = { platformCost: '0.5', platformCurrency: 'USD' };
    const found = await record(platform);
    const none = await record({ ...platform, pricedNumber: '33140205050' });
    await reprice();
    expect(await rowOf(found.id)).toMatchObject({ carrier: '0.02', tenant: '0.03' });
    expect(await rowOf(none.id)).toMatchObject({ carrier: null, tenant: '0.75' });
  });

  test('prices recordings, and inbound calls by the deck for inbound calls', async () => {
    await web.runtime.db.sipTrunk.update({ where: { id: trunkId }, data: { inboundBuyDeckId: buyDeckId } });
    await price(buyDeckId, '44', '0.01', new Date('2026-01-01'));
    await usePlan({ kind: 'RECORDING', flatRate: '0.06' });
    const inbound = await record({ direction: 'INBOUND' });
    const outbound = await record();
    const recording = await record({
      kind: 'RECORDING',
      seconds: 61,
      connectedSeconds: 0,
      pricedNumber: null,
    });
    expect(await reprice()).toMatchObject({ ratings: 2 });
    expect(await rowOf(inbound.id)).toMatchObject({ carrier: '0.02' });
    expect(await rowOf(outbound.id)).toMatchObject({ carrier: null });
    expect(await rowOf(recording.id)).toMatchObject({ billed: 120, tenant: '0.12' });
  });

  test('prices what is charged by the day as its share of the month, the last day with the remainder', async () => {
    await usePlan({ kind: 'SEAT', flatRate: '10' });
    const daily = (kind: 'SEAT' | 'STORAGE', day: string, change = {}) =>
      record({
        ...{ kind, day: new Date(day), quantity: '2', platformCost: '1', platformCurrency: 'USD' },
        ...{ callId: null, direction: null, channelType: null, trunkOwner: null, sipTrunkId: null },
        ...{ seconds: 0, connectedSeconds: 0, startedAt: null, pricedNumber: null },
        ...change,
      });
    const rows = [
      await daily('SEAT', '2026-04-29'),
      await daily('SEAT', '2026-04-30'),
      await daily('STORAGE', '2026-04-30'),
      await daily('SEAT', '2026-04-28', { tenantCharge: '7', tenantCurrency: 'USD' }),
    ];
    expect(await reprice()).toMatchObject({ cleared: 3, ratings: 2 });
    const priced = await Promise.all(rows.map(({ id }) => rowOf(id)));
    expect(priced.map(({ tenant }) => tenant)).toEqual(['0.666666', '0.666686', null, '7']);
    expect(priced[0]).toMatchObject({ billed: null, carrier: null, platform: '1' });
  });

  test('does not take a deleted trunk for one of the platform', async () => {
    await usePlan({ flatRate: '0.1', trunkOwner: 'PLATFORM' });
    const deleted = await record({ trunkOwner: null, sipTrunkId: 999_999 });
    const platform = await record({ trunkOwner: 'PLATFORM' });
    expect(await reprice()).toMatchObject({ cleared: 2, ratings: 1 });
    expect((await rowOf(deleted.id)).tenant).toBeNull();
    expect((await rowOf(platform.id)).tenant).toBe('0.2');
  });

  test('leaves alone what has no number, was not answered, is outside the window or belongs to another account', async () => {
    await useBuyDeck();
    await price(buyDeckId, '4', '1', new Date('2026-01-01'));
    const rows = [
      await record({ pricedNumber: null, numberErased: true }),
      await record({ connectedSeconds: 0 }),
      await record({ createdAt: new Date('2026-03-01') }),
    ];
    const stranger = (await web.consumer('stranger')).apiKey;
    expect((await call('repriceUsage', { key: stranger, body: {} })).json).toMatchObject({ cleared: 0 });
    expect(await reprice()).toMatchObject({ cleared: 0, ratings: 0 });
    for (const { id } of rows) expect((await rowOf(id)).carrier).toBeNull();
    expect(await reprice({ from: '2026-02-01', to: '2026-04-01' })).toMatchObject({ cleared: 1, ratings: 1 });
  });

  test('says why a call still has no price', async () => {
    await useBuyDeck();
    await price(buyDeckId, '33', '1', new Date('2026-01-01'));
    const { id } = await record();
    expect(await reprice()).toMatchObject({ cleared: 1, ratings: 0 });
    const { json } = await call('listUsage', { key });
    expect(json.usage.find((one) => one.id === id)?.carrierCost).toMatchObject({
      status: 'NO_RATE',
      reason: 'The rate deck of the trunk has no price for this number.',
    });
  });

  test('locks the accounts that it charges in the order of their IDs, as calls do', async () => {
    const { db } = web.runtime;
    await usePlan({ flatRate: '0.1' });
    const { pricePlanId } = await db.tenant.findUniqueOrThrow({ where: { id: tenantId } });
    const accounts: BillingAccount[] = [];
    for (const ref of ['first', 'second']) {
      const tenant = await db.tenant.create({ data: { consumerId, ref, name: ref, pricePlanId } });
      const of = { consumerId, owner: 'TENANT', tenantId: tenant.id, tenantRef: ref } as const;
      const terms = { mode: 'PREPAID', currency: 'USD', invoiceDueDays: 15 } as const;
      const createdAt = new Date('2026-01-01');
      accounts.push(await db.billingAccount.create({ data: { ...of, ...terms, createdAt } }));
    }
    for (const { tenantId: id, tenantRef } of accounts.toReversed())
      await record({ tenantId: id, tenantRef: tenantRef ?? '' });
    const repriced = await db.$transaction(async (tx) => {
      const lock = (index: number) => tx.$queryRaw`
        select 1 from "BillingAccount" where "id" = ${accounts[index]?.id} for no key update nowait`;
      await lock(0);
      const running = reprice();
      const waiting = () => db.$queryRaw<unknown[]>`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await expect.poll(async () => (await waiting()).length, { interval: 20 }).toBe(1);
      await lock(1);
      return { running };
    });
    expect(await repriced.running).toMatchObject({ ratings: 2 });
    const balances = await db.billingAccount.findMany({ select: { balance: true } });
    expect(balances.map(({ balance }) => balance.toFixed())).toEqual(['-0.2', '-0.2']);
  });

  test('in batches, by two at once, gives every record one price', async () => {
    await useBuyDeck();
    await price(buyDeckId, '44', '0.01', new Date('2026-01-01'));
    await usePlan({ method: 'DECK', deckId: sellDeckId });
    await price(sellDeckId, '442', '0.1', new Date('2026-01-01'));
    const ids = [];
    for (let i = 0; i < 25; i += 1) ids.push((await record()).id);
    const consumer = await web.runtime.db.consumer.findUniqueOrThrow({ where: { id: consumerId } });
    const { db, log, secrets, store, settings } = web.runtime;
    const ctx = {
      consumer,
      actor: { kind: 'apiKey', id: 1 },
      surface: 'api',
      db,
      log,
      secrets,
      store,
      settings,
      now: NOW,
    } as const;
    const window = { from: null, to: null };
    const runs = await Promise.all([repriceUsage(ctx, window, 4), repriceUsage(ctx, window, 7)]);
    expect(runs[0].ratings + runs[1].ratings).toBe(50);
    for (const id of ids) expect(await rowOf(id)).toMatchObject({ carrier: '0.02', tenant: '0.2' });
  });
});

test('a window is at most 400 days', async () => {
  for (const [body, field] of [
    [{ from: '2025-01-01', to: '2026-02-06' }, 'from'],
    [{ from: '2026-01-01', to: '2026-01-01' }, 'to'],
    [{ from: 'then' }, 'from'],
  ] as const) {
    expectError(await call('repriceUsage', { key, body }), 400, 'invalid_request', field);
  }
  expect((await call('repriceUsage', { key, body: { from: '2025-01-01', to: '2026-02-05' } })).status).toBe(
    200,
  );
});
