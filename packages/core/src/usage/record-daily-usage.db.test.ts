/** What is charged by the day: once per tenant, kind and day, and a month adds up. */
import type { Consumer, Database, Tenant } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { carrierTrunk } from '../call-engine/__fixtures__/carrier-trunk.ts';
import { recordDailyUsage } from './record-daily-usage.ts';

let testDatabase: TestDatabase;
let db: Database;
let consumer: Consumer;
let tenant: Tenant;
const BEFORE = new Date('2026-01-01T00:00:00Z');

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  consumer = await db.consumer.create({ data: { slug: 'acme', name: 'Acme' } });
  const plan = await db.pricePlan.create({
    data: { consumerId: consumer.id, name: 'Standard', currency: 'EUR' },
  });
  const flat = { planId: plan.id, method: 'FLAT', initialSeconds: 60, incrementSeconds: 60 } as const;
  await db.priceItem.createMany({
    data: [
      { ...flat, position: 0, kind: 'SEAT', flatRate: '10' },
      { ...flat, position: 1, kind: 'NUMBER', flatRate: '2.8' },
      { ...flat, position: 2, kind: 'STORAGE', flatRate: '28' },
    ],
  });
  tenant = await makeTenant('acme', plan.id);
  await makeTenant('unpriced', null);
  const tenantId = tenant.id;
  const agent = (ref: string, change = {}) => ({ tenantId, ref, name: ref, createdAt: BEFORE, ...change });
  await db.agent.createMany({
    data: [
      agent('there'),
      agent('left-that-day', { deletedAt: new Date('2026-02-03T00:00:00Z') }),
      agent('left-before', { deletedAt: new Date('2026-02-02T23:59:59.999Z') }),
      agent('came-after', { createdAt: new Date('2026-02-04T00:00:00Z') }),
    ],
  });
  const trunk = await carrierTrunk(db, consumer.id);
  const number = {
    consumerId: consumer.id,
    sipTrunkId: trunk.id,
    tenantId,
    origin: 'BYOC',
    createdAt: BEFORE,
  } as const;
  await db.phoneNumber.createMany({
    data: [
      { ...number, number: '+441' },
      { ...number, number: '+442', status: 'RELEASED', releasedAt: new Date('2026-02-03T08:00:00Z') },
      { ...number, number: '+443', status: 'RELEASED', releasedAt: new Date('2026-02-01T08:00:00Z') },
    ],
  });
  await db.audioAsset.create({
    data: {
      tenantId,
      name: 'a',
      sizeBytes: 500_000_000,
      createdAt: BEFORE,
      durationSeconds: 1,
      storageProvider: 'local',
      storageKey: 'k',
      pcm8kKey: 'k8',
      pcm48kKey: 'k48',
      mimeType: 'audio/wav',
    },
  });
});
afterAll(() => testDatabase.drop());

const makeTenant = (ref: string, pricePlanId: number | null) =>
  db.tenant.create({ data: { consumerId: consumer.id, ref, name: ref, createdAt: BEFORE, pricePlanId } });

const records = async () =>
  (await db.usageRecord.findMany({ orderBy: { id: 'asc' } })).map((row) => [
    row.tenantRef,
    row.kind,
    row.day?.toISOString().slice(0, 10),
    row.quantity?.toFixed(),
    row.tenantCharge?.toFixed(),
    row.tenantCurrency,
  ]);

test('a day has one record for each kind that the plan prices, also if two workers run at once', async () => {
  const now = new Date('2026-02-04T00:05:00Z');
  const written = await Promise.all([recordDailyUsage(db, now), recordDailyUsage(db, now)]);
  expect(written.reduce((sum, count) => sum + count)).toBe(3);
  expect(await recordDailyUsage(db, new Date('2026-02-04T23:59:00Z'))).toBe(0);
  expect(await records()).toEqual([
    ['acme', 'SEAT', '2026-02-03', '2', '0.714286', 'EUR'],
    ['acme', 'NUMBER', '2026-02-03', '2', '0.2', 'EUR'],
    ['acme', 'STORAGE', '2026-02-03', '0.5', '0.5', 'EUR'],
  ]);
});

test('the operator charges the account for its tenants, also for those without a plan', async () => {
  const plan = await db.pricePlan.create({ data: { name: 'Operator', currency: 'USD' } });
  const fee = { kind: 'MONTHLY_FEE', method: 'FLAT', flatRate: '28' } as const;
  await db.priceItem.create({
    data: { planId: plan.id, position: 0, initialSeconds: 60, incrementSeconds: 60, ...fee },
  });
  await db.consumer.update({ where: { id: consumer.id }, data: { pricePlanId: plan.id } });
  expect(await recordDailyUsage(db, new Date('2026-02-05T00:05:00Z'), 1)).toBe(5);
  const rows = await db.usageRecord.findMany({ where: { kind: 'MONTHLY_FEE' }, orderBy: { id: 'asc' } });
  expect(rows.map((row) => [row.tenantRef, row.platformCost?.toFixed(), row.platformCurrency])).toEqual([
    ['acme', '1', 'USD'],
    ['unpriced', '1', 'USD'],
  ]);
});

test('days on which no worker ran are recorded later, as they were, and days before the first are not', async () => {
  const seats = async () =>
    (
      await db.usageRecord.findMany({
        where: { kind: 'SEAT', day: { gte: new Date('2026-02-05') } },
        orderBy: { day: 'asc' },
      })
    ).map(({ day, quantity }) => [day?.toISOString().slice(0, 10), quantity?.toFixed()]);
  await db.agent.update({
    where: { tenantId_ref: { tenantId: tenant.id, ref: 'came-after' } },
    data: { deletedAt: new Date('2026-02-06T12:00:00Z') },
  });
  await recordDailyUsage(db, new Date('2026-02-08T00:05:00Z'));
  expect(await seats()).toEqual([
    ['2026-02-05', '2'],
    ['2026-02-06', '2'],
    ['2026-02-07', '1'],
  ]);
  expect(await recordDailyUsage(db, new Date('2026-02-08T01:05:00Z'))).toBe(0);
  expect(await db.usageRecord.count({ where: { day: { lt: new Date('2026-02-03') } } })).toBe(0);
});

test('after a long interruption the latest 31 days are recorded', async () => {
  await recordDailyUsage(db, new Date('2026-05-01T00:05:00Z'));
  const days = await db.usageRecord.findMany({
    where: { kind: 'SEAT', day: { gt: new Date('2026-02-07') } },
    orderBy: { day: 'asc' },
  });
  expect(days).toHaveLength(31);
  expect(days[0]?.day?.toISOString().slice(0, 10)).toBe('2026-03-31');
});
