import { pricePlanBody } from '@clarion/protocol/v1/price/price-plans';
import { expect, test } from 'vitest';
import type { PricePlan } from '../edit/resources.ts';
import { bodyOf, draftOf, newItem, withKind } from './plan-draft.ts';
import type { ItemDraft } from './plan-draft.ts';
import { deckCharge, flatCharge, isAmount } from './sample-price.ts';

const plan = {
  id: 5,
  name: 'Standard',
  currency: 'GBP',
  description: null,
  tenants: 0,
  createdAt: '2026-01-05T09:00:00.000Z',
  updatedAt: '2026-01-05T09:00:00.000Z',
};
const any = { direction: null, channel: null, trunkOwner: null, initialSeconds: 60, incrementSeconds: 60 };
const sent = (change: Partial<ItemDraft>) =>
  bodyOf({ ...draftOf({ ...plan, items: [] }), items: [{ ...newItem(), ...change }] }).items?.[0];

test('an unchanged plan is sent as it is', () => {
  const items: PricePlan['items'] = [
    {
      ...any,
      kind: 'CALL',
      method: 'DECK',
      direction: 'OUTBOUND',
      channel: 'SIP',
      flatRate: null,
      deckId: 20,
      markupPercent: null,
    },
    {
      ...any,
      kind: 'CALL',
      method: 'DECK_MARKUP',
      trunkOwner: 'CONSUMER',
      flatRate: null,
      deckId: null,
      markupPercent: '12.5',
    },
    {
      ...any,
      kind: 'CALL',
      method: 'FLAT',
      initialSeconds: 1,
      incrementSeconds: 6,
      flatRate: '0.05',
      deckId: null,
      markupPercent: null,
    },
    {
      ...any,
      kind: 'SEAT',
      method: 'FLAT',
      flatRate: '9.5',
      deckId: null,
      markupPercent: null,
    },
  ];
  expect(pricePlanBody.parse(bodyOf(draftOf({ ...plan, items })))).toEqual({
    name: 'Standard',
    currency: 'GBP',
    description: null,
    items,
  });
});

test('fields that the form does not show are not sent', () => {
  const filled = {
    direction: 'INBOUND',
    flatRate: '5',
    deckId: '20',
    markupPercent: '10',
    initialSeconds: 6,
  } as const;
  expect(sent({ ...filled, kind: 'SEAT' })).toEqual({ kind: 'SEAT', method: 'FLAT', flat_rate: '5' });
  expect(sent({ ...filled, method: 'DECK' })).toMatchObject({ deck_id: 20, direction: 'INBOUND' });
  expect(sent({ ...filled, method: 'DECK' })).not.toHaveProperty('flat_rate');
  expect(sent({ ...filled, method: 'DECK' })).not.toHaveProperty('initial_seconds');
  expect(sent({ ...filled, method: 'DECK_MARKUP', kind: 'STORAGE' })).toEqual({
    kind: 'STORAGE',
    method: 'DECK_MARKUP',
    markup_percent: '10',
  });
});

test('a rate that was not entered is sent as missing, so that the error is at its field', () => {
  expect(sent({ flatRate: ' ' })).toMatchObject({ flat_rate: null });
  expect(sent({ method: 'DECK' })).toMatchObject({ deck_id: null });
});

test('an item that is no longer about calls has no rate deck', () => {
  const item: ItemDraft = { ...newItem(), method: 'DECK', deckId: '20' };
  expect(withKind(item, 'SEAT').method).toBe('FLAT');
  expect(withKind(item, 'CALL').method).toBe('DECK');
  expect(withKind({ ...item, method: 'DECK_MARKUP' }, 'STORAGE').method).toBe('DECK_MARKUP');
});

test('an example at a flat rate has billing blocks', () => {
  const item = { ...newItem(), flatRate: '0.05' };
  expect(flatCharge(item, 90)).toEqual({ billedSeconds: 120, amount: '0.1' });
  expect(flatCharge({ ...item, initialSeconds: 1, incrementSeconds: 1 }, 90)).toEqual({
    billedSeconds: 90,
    amount: '0.075',
  });
  for (const flatRate of ['', '0,05', 'x', '0.0000001'])
    expect(flatCharge({ ...item, flatRate }, 90)).toBeNull();
  expect(flatCharge({ ...item, initialSeconds: null }, 90)).toBeNull();
});

test('an example at the rate of a deck has its blocks, its connection fee and the markup on both', () => {
  const entry = {
    id: 1,
    prefix: '4420',
    destination: null,
    rate: '0.024',
    initialSeconds: 60,
    incrementSeconds: 1,
    connectionFee: '0.01',
    effectiveFrom: plan.createdAt,
    effectiveTo: null,
  };
  expect(deckCharge(entry, '0', 90)).toEqual({ billedSeconds: 90, amount: '0.046' });
  expect(deckCharge(entry, '12.5', 90)).toEqual({ billedSeconds: 90, amount: '0.05175' });
  expect(deckCharge(entry, '-100', 90)?.amount).toBe('0');
  expect(deckCharge(entry, '', 90)).toBeNull();
  expect(['12.5', ' -100 ', '+5'].every(isAmount)).toBe(true);
  expect(['', '5%', '0.0000001'].some(isAmount)).toBe(false);
});
