import { expect, test } from 'vitest';
import { noPriceText, priceText, resultText } from './route-rules.ts';
import type { Route, RoutePreview } from './route-rules.ts';

const route = (name: string, order: number | null, owner: 'PLATFORM' | 'CONSUMER' = 'CONSUMER'): Route => ({
  trunk: { id: 1, name, owner, status: 'ACTIVE' },
  order,
  excluded: order === null ? 'TRUNK_NOT_ACTIVE' : null,
  called: null,
  caller: null,
  carrier: null,
  platform: null,
  tenant: null,
  costPerMinute: null,
  marginPerMinute: null,
});
const preview = (change: Partial<RoutePreview>): RoutePreview => ({
  number: '+44207',
  rules: [],
  refusal: null,
  routes: [],
  ...change,
});
const price = {
  currency: 'USD',
  ratePerMinute: '0.02',
  connectionFee: '0',
  initialSeconds: 60,
  incrementSeconds: 1,
  method: null,
  markupPercent: null,
  entry: null,
};

test('the result names the trunks in the order in which they are tried', () => {
  expect(resultText(preview({ routes: [route('b', 1), route('a', 2), route('c', null)] }))).toBe(
    'The call to +44207 would be placed over b, and over a if that fails.',
  );
  expect(resultText(preview({ routes: [{ ...route('', 1), trunk: null }] }))).toBe(
    'The call to +44207 would be placed over WhatsApp.',
  );
});

test('the result says why a call is refused, or that no trunk is active', () => {
  const refusal = { code: 'invalid_customer', message: 'The number is not valid.' };
  expect(resultText(preview({ number: null, refusal }))).toBe(
    'The call would be refused. The number is not valid.',
  );
  expect(resultText(preview({ routes: [route('a', null)] }))).toMatch(/no trunk of the line is active/);
});

test('a price has its blocks, its fee and its markup', () => {
  expect(priceText(price)).toBe('0.0200 USD per minute, in blocks of 60/1 seconds');
  expect(priceText({ ...price, connectionFee: '0.01', markupPercent: '50' })).toBe(
    '0.0200 USD per minute, in blocks of 60/1 seconds, plus 0.0100 USD per call, with a markup of 50%',
  );
});

test('a missing price of a carrier depends on whose trunk it is', () => {
  expect(noPriceText('carrier', route('a', 1))).toMatch(/no buying deck/);
  expect(noPriceText('carrier', route('a', 1, 'PLATFORM'))).toMatch(/not your own/);
});
