import { expect, test } from 'vitest';
import type { ChosenPrice, RoutePrices } from './call-pricing.ts';
import { costPerMinute, marginPerMinute, reasonAgainst, usableRoutes } from './usable-routes.ts';
import type { RouteRules } from './usable-routes.ts';

const price = (ratePerMinute: string, currency = 'USD'): ChosenPrice => ({
  currency,
  ratePerMinute,
  connectionFee: '0',
  initialSeconds: 60,
  incrementSeconds: 60,
});
const tenant = (ratePerMinute: string, markupPercent?: string) => ({
  ...price(ratePerMinute),
  method: 'DECK' as const,
  ...(markupPercent !== undefined && { markupPercent }),
});
const rules = (change: Partial<RouteRules> = {}): RouteRules => ({
  leastCost: true,
  marginGuard: false,
  needsTenantPrice: false,
  maxRate: null,
  currency: 'USD',
  ...change,
});
const order = (routes: RoutePrices[], change?: Partial<RouteRules>) =>
  usableRoutes(routes, rules(change)).map(({ trunkId }) => trunkId);

const dear: RoutePrices = { trunkId: 1, carrier: price('0.02'), tenant: tenant('0.015') };
const cheap: RoutePrices = { trunkId: 2, carrier: price('0.01'), tenant: tenant('0.015') };

test('the cheapest trunk is first, and only with least-cost routing', () => {
  expect(order([dear, cheap])).toEqual([2, 1]);
  expect(order([dear, cheap], { leastCost: false })).toEqual([1, 2]);
});

test('what the operator charges is part of the cost', () => {
  expect(
    order([
      { ...dear, platform: price('0.001') },
      { ...cheap, platform: price('0.02') },
    ]),
  ).toEqual([1, 2]);
});

test.each<[string, RoutePrices]>([
  ['is not known', { trunkId: 2 }],
  ['is in another currency', { trunkId: 2, carrier: price('0.01', 'EUR') }],
  ['consists of two currencies', { trunkId: 2, carrier: price('0.001'), platform: price('0.001', 'EUR') }],
])('the given order stays if a cost %s', (_, route) => {
  expect(order([dear, route])).toEqual([1, 2]);
});

test('the margin guard excludes a trunk that costs more than the tenant pays, also as the second one', () => {
  expect(order([cheap, dear], { marginGuard: true })).toEqual([2]);
  expect(reasonAgainst(dear, rules({ marginGuard: true }))).toBe('margin');
  expect(marginPerMinute(dear)).toEqual({ currency: 'USD', perMinute: -5_000n });
});

test('a trunk without a margin to compute is not excluded by the guard', () => {
  const unknown = { trunkId: 3, tenant: tenant('0.001') };
  const unpaid = { trunkId: 4, carrier: price('9') };
  expect(order([unknown, unpaid], { marginGuard: true })).toEqual([3, 4]);
});

test('a markup counts for what the tenant pays', () => {
  expect(marginPerMinute({ ...cheap, tenant: tenant('0.01', '20') })).toEqual({
    currency: 'USD',
    perMinute: 2_000n,
  });
});

test('a minute may cost at most what the plan allows, in its currency', () => {
  expect(order([dear, cheap], { maxRate: 15_000n })).toEqual([2]);
  expect(order([dear, cheap], { maxRate: 20_000n })).toEqual([2, 1]);
  expect(order([dear], { maxRate: 1n, currency: 'EUR' })).toEqual([1]);
  expect(order([dear], { maxRate: 1n, currency: null })).toEqual([]);
  expect(order([{ ...cheap, platform: price('0.5') }], { maxRate: 15_000n })).toEqual([]);
});

test('the cost is the carrier and the operator together', () => {
  expect(costPerMinute({ ...cheap, platform: price('0.005') })).toEqual({
    currency: 'USD',
    perMinute: 15_000n,
  });
});
