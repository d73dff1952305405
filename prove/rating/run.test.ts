import { expect, test } from 'vitest';
import { ofService, runRating } from './run.ts';

/** The short form of `npm run prove -- rating`. */
const plan = { prefixes: 2_000, calls: 20_000, seed: 7 };

test('every price and charge is that of an independent look-up and of exact fractions', () => {
  const { entries, priced, unpriced, wrong } = runRating(plan);
  expect(wrong).toEqual([]);
  expect(entries).toBeGreaterThan(2_000);
  expect(priced).toBeGreaterThan(5_000);
  expect(unpriced).toBeGreaterThan(500);
});

test.each([
  [
    'a charge that is rounded down',
    {
      ...ofService,
      chargeOf: (...[price, seconds]: Parameters<typeof ofService.chargeOf>) => {
        const { billedSeconds } = ofService.chargeOf(price, seconds);
        const amount = (price.ratePerMinute * BigInt(billedSeconds)) / 60n + price.connectionFee;
        return { billedSeconds, amount: billedSeconds === 0 ? 0n : amount };
      },
    },
  ],
  [
    'a price that is in force until the end of its last millisecond',
    {
      ...ofService,
      finder: (entries: Parameters<typeof ofService.finder>[0]) => {
        const find = ofService.finder(entries);
        return (digits: string, at: number) => find(digits, at - 1) ?? find(digits, at);
      },
    },
  ],
])('%s is noticed', (_, rating) => {
  expect(runRating(plan, undefined, rating).wrong).not.toEqual([]);
});
