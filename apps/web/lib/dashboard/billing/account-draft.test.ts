import { describe, expect, test } from 'vitest';
import { accountBodyOf, accountDraftOf, adjustmentBodyOf } from './account-draft.ts';

const account = {
  mode: 'POSTPAID',
  status: 'ACTIVE',
  currency: 'GBP',
  balance: '0',
  reserved: '0',
  creditLimit: '250',
  invoiceDueDays: 30,
  createdAt: '2026-01-05T09:00:00.000Z',
  updatedAt: '2026-01-05T09:00:00.000Z',
} as const;

describe('an account', () => {
  test('is saved as it was shown', () => {
    expect(accountBodyOf(accountDraftOf(account, 'GBP'))).toEqual({
      mode: 'POSTPAID',
      currency: 'GBP',
      credit_limit: '250',
      invoice_due_days: 30,
    });
  });

  test('that is opened has the currency of the price plan, or USD', () => {
    expect(accountDraftOf(null, 'EUR').currency).toBe('EUR');
    expect(accountDraftOf(null, null).currency).toBe('USD');
  });

  test('has a credit limit only with POSTPAID, and none if the field is empty', () => {
    const draft = accountDraftOf(account, null);
    expect(accountBodyOf({ ...draft, mode: 'PREPAID' }).credit_limit).toBeNull();
    expect(accountBodyOf({ ...draft, creditLimit: ' ' }).credit_limit).toBeNull();
  });

  test('is not saved without a currency', () => {
    expect(() => accountBodyOf({ ...accountDraftOf(account, null), currency: '' })).toThrow(
      'Choose a currency.',
    );
  });
});

test('an adjustment has the sign of its direction, and the amount none', () => {
  const draft = { amount: ' 2.50 ', reason: ' late ' };
  expect(adjustmentBodyOf({ direction: 'CREDIT', ...draft })).toEqual({ amount: '2.50', reason: 'late' });
  expect(adjustmentBodyOf({ direction: 'DEBIT', ...draft }).amount).toBe('-2.50');
  for (const amount of ['-1', '+1']) {
    expect(() => adjustmentBodyOf({ direction: 'DEBIT', amount, reason: 'x' })).toThrow('without a sign');
  }
});
