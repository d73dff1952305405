import fc from 'fast-check';
import { expect, test } from 'vitest';
import { amountOf, millionthsOf } from '../rating/millionths.ts';
import { decimalsOf, inMinorUnits, roundToMinorUnit } from './minor-unit.ts';

test.each([
  ['USD', '1.005', '1.01'],
  ['USD', '1.004999', '1'],
  ['USD', '0.004999', '0'],
  ['USD', '-1.005', '-1.01'],
  ['JPY', '0.5', '1'],
  ['JPY', '1234.499999', '1234'],
  ['KWD', '1.0005', '1.001'],
  ['KWD', '1.000499', '1'],
  ['CLF', '1.00005', '1.0001'],
])('%s: %s is rounded to %s', (currency, amount, rounded) => {
  expect(amountOf(roundToMinorUnit(millionthsOf(amount), currency))).toBe(rounded);
});

test.each([
  ['USD', '128.4', '128.40'],
  ['USD', '5', '5.00'],
  ['JPY', '1500', '1500'],
  ['KWD', '2.001', '2.001'],
])('%s %s is written as %s', (currency, amount, text) => {
  expect(inMinorUnits(millionthsOf(amount), currency)).toBe(text);
});

test('the rounded amount has no more decimals than the currency, and differs by at most half a unit', () => {
  const amounts = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });
  fc.assert(
    fc.property(amounts, fc.constantFrom('EUR', 'JPY', 'KWD', 'CLF'), (amount, currency) => {
      const unit = 10n ** BigInt(6 - decimalsOf(currency));
      const rounded = roundToMinorUnit(amount, currency);
      expect(rounded % unit).toBe(0n);
      const difference = rounded > amount ? rounded - amount : amount - rounded;
      expect(difference * 2n).toBeLessThanOrEqual(unit);
    }),
  );
});
