import { describe, expect, test } from 'vitest';
import { gapsOf, marginOf, methodText, quantityText, totalsOf } from './usage-figures.ts';
import type { UsageRecord } from './usage-figures.ts';

const usd = (amount: string) => ({ amount, currency: 'USD' });
const rated = (amount: string, currency = 'USD') =>
  ({ amount, currency, status: 'RATED', reason: null, entryId: 1 }) as const;
const charged = (amount: string, currency = 'USD') => [
  { amount, currency, method: 'FLAT', markupPercent: null, entryId: null },
];
const record = (change: Partial<UsageRecord> = {}): UsageRecord => ({
  id: 1,
  callId: 1,
  tenantRef: 'shop',
  kind: 'CALL',
  direction: 'OUTBOUND',
  channelType: 'SIP',
  trunkOwner: 'CONSUMER',
  seconds: 60,
  connectedSeconds: 61,
  billedSeconds: 120,
  day: null,
  quantity: null,
  carrierCost: { amount: null, currency: null, status: 'NO_RATE', reason: 'No rate deck.', entryId: null },
  tenantCharges: [],
  platformCost: null,
  createdAt: '2026-01-05T09:02:10.000Z',
  ...change,
});
const day = (change: Partial<UsageRecord>) =>
  record({
    callId: null,
    trunkOwner: null,
    seconds: 0,
    connectedSeconds: null,
    day: '2026-01-05',
    ...change,
  });

describe('the margin', () => {
  test('is the charge minus what the carrier and the platform charge, exactly', () => {
    const both = { carrierCost: rated('0.2'), platformCost: usd('0.1') };
    expect(marginOf(record({ ...both, tenantCharges: charged('0.3') }))).toEqual(usd('0'));
    expect(marginOf(record({ ...both, tenantCharges: charged('0.299999') }))).toEqual(usd('-0.000001'));
  });

  test('is the whole charge of a day, which has no cost', () => {
    expect(marginOf(day({ kind: 'SEAT', quantity: '3', tenantCharges: charged('1.5') }))).toEqual(usd('1.5'));
  });

  test('is not known without a charge, without any cost of a trunk, or in two currencies', () => {
    expect(marginOf(record({ carrierCost: rated('0.2') }))).toBeNull();
    expect(marginOf(record({ tenantCharges: charged('0.3') }))).toBeNull();
    expect(marginOf(record({ carrierCost: rated('0.2', 'EUR'), tenantCharges: charged('0.3') }))).toBeNull();
  });
});

test('totals are kept apart by currency, and a missing figure is no 0', () => {
  const records = [
    record({ carrierCost: rated('0.1'), tenantCharges: charged('0.3') }),
    record({ carrierCost: rated('0.2'), tenantCharges: charged('0.5', 'EUR') }),
    record(),
  ];
  expect(totalsOf(records)).toEqual([
    { currency: 'EUR', carrier: null, platform: null, charged: '0.5', margin: null },
    { currency: 'USD', carrier: '0.3', platform: null, charged: '0.3', margin: '0.2' },
  ]);
  expect(totalsOf([record()])).toEqual([]);
});

test('gaps are answered calls without a cost on an own trunk, and usage without a charge', () => {
  expect(
    gapsOf([
      record(),
      record({ trunkOwner: 'PLATFORM', tenantCharges: charged('1') }),
      record({ seconds: 0, connectedSeconds: 0 }),
      record({ kind: 'RECORDING', trunkOwner: null, connectedSeconds: null }),
    ]),
  ).toEqual({ noCost: 1, noCharge: 2 });
});

test('a quantity has its unit', () => {
  expect(quantityText(day({ kind: 'SEAT', quantity: '1' }))).toBe('1 agent');
  expect(quantityText(day({ kind: 'NUMBER', quantity: '12' }))).toBe('12 numbers');
  expect(quantityText(day({ kind: 'STORAGE', quantity: '1.25' }))).toBe('1.25 GB');
  expect(quantityText(day({ kind: 'MONTHLY_FEE', quantity: '1' }))).toBeNull();
});

test('a price says how it was determined', () => {
  expect(methodText({ method: 'FLAT', markupPercent: null })).toBe('Flat rate');
  expect(methodText({ method: 'DECK', markupPercent: null })).toBe('Rate deck');
  expect(methodText({ method: 'DECK_MARKUP', markupPercent: '50' })).toBe('Markup of 50%');
});
