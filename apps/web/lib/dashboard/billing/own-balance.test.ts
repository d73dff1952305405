import { expect, test } from 'vitest';
import { balanceInWords, lowBalanceInWords } from './own-balance.ts';

test.each([
  ['PREPAID', '47.5', 'Paid in advance'],
  ['PREPAID', '0', 'You owe nothing'],
  ['PREPAID', '-0.000001', 'You owe this to the operator'],
  ['POSTPAID', '-182.4', 'You owe this to the operator'],
  ['POSTPAID', '0', 'You owe nothing'],
  ['POSTPAID', '20', 'In your favour'],
] as const)('%s with a balance of %s: %s', (mode, balance, words) => {
  expect(balanceInWords({ mode, balance })).toBe(words);
});

test.each([
  ['PREPAID', '4', /^The balance is low/],
  ['PREPAID', '0', /used up/],
  ['PREPAID', '-3', /used up/],
  ['POSTPAID', '-95', /more than 90 % of your credit limit/],
] as const)('a low balance, %s with %s, says so', (mode, balance, title) => {
  expect(lowBalanceInWords({ mode, balance }).title).toMatch(title);
});
