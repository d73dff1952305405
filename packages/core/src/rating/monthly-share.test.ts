import fc from 'fast-check';
import { expect, test } from 'vitest';
import { amountOf, millionthsOf } from './millionths.ts';
import { shareOfMonth } from './monthly-share.ts';

const share = (monthly: string, day: string, quantity = '1') =>
  amountOf(shareOfMonth(millionthsOf(monthly), new Date(`${day}T12:00:00Z`), millionthsOf(quantity)));

test.each([
  ['31', '2026-01-15', '1', '1'],
  ['10', '2026-01-15', '1', '0.322581'],
  ['10', '2026-01-31', '1', '0.32257'],
  ['28', '2026-02-28', '1', '1'],
  ['29', '2028-02-29', '1', '1'],
  ['9.5', '2026-04-01', '3', '0.950001'],
  ['0.1', '2026-04-01', '2.5', '0.008333'],
])('%s a month is on %s, for %s, %s', (monthly, day, quantity, amount) => {
  expect(share(monthly, day, quantity)).toBe(amount);
});

test('the days of a month add up to its price', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 15n }),
      fc.integer({ min: 2000, max: 2099 }),
      fc.integer({ min: 0, max: 11 }),
      fc.bigInt({ min: 0n, max: 10_000n }),
      (monthly, year, month, units) => {
        const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
        let sum = 0n;
        for (let day = 1; day <= days; day += 1) {
          sum += shareOfMonth(monthly, new Date(Date.UTC(year, month, day)), units * 1_000_000n);
        }
        expect(sum).toBe(monthly * units);
      },
    ),
  );
});
