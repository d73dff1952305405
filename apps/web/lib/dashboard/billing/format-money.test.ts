import { expect, test } from 'vitest';
import { formatChange, formatMoney } from './format-money.ts';

test.each([
  ['0', '0.00'],
  ['47.5', '47.50'],
  ['-0.000001', '-0.000001'],
  ['-1234.5', '-1,234.50'],
  ['999999999999.999999', '999,999,999,999.999999'],
])('%s is shown as %s', (amount, text) => {
  expect(formatMoney(amount)).toBe(text);
});

test('a change has its sign', () => {
  expect(formatChange('5')).toBe('+5.00');
  expect(formatChange('-5')).toBe('-5.00');
});
