import { expect, test } from 'vitest';
import { counted, formatRate } from './format-rate.ts';

test.each([
  ['0.012', '0.0120'],
  ['12', '12.0000'],
  ['0.012345', '0.012345'],
  ['999999999999.1', '999999999999.1000'],
])('the rate %s is shown as %s', (amount, text) => {
  expect(formatRate(amount)).toBe(text);
});

test('counts have their noun in the right number', () => {
  expect([0, 1, 1200].map((count) => counted(count, 'price'))).toEqual([
    '0 prices',
    '1 price',
    '1,200 prices',
  ]);
});
