import { expect, test } from 'vitest';
import { balanceInWords, balanceWarning } from './own-balance.ts';

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
  ['PREPAID', '4', true, /^The balance is low/],
  ['PREPAID', '0', true, /used up/],
  ['PREPAID', '-3', true, /used up/],
  ['PREPAID', '0', false, /used up/],
  ['POSTPAID', '-95', true, /more than 90 % of your credit limit/],
] as const)('%s with a balance of %s, low: %s, is warned of', (mode, balance, low, title) => {
  expect(balanceWarning({ mode, balance }, low)?.title).toMatch(title);
});

test.each([
  ['PREPAID', '47.5'],
  ['POSTPAID', '0'],
  ['POSTPAID', '-20'],
] as const)('%s with a balance of %s needs nothing while it is not low', (mode, balance) => {
  expect(balanceWarning({ mode, balance }, false)).toBeNull();
});
