import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changedTerms, currencyProblem } from './account-terms.ts';

const currencies = fc.constantFrom('USD', 'EUR', 'GBP');
const accounts = fc.option(
  fc.record({
    currency: currencies,
    balance: fc.bigInt({ min: -2n, max: 2n }),
    hasOpenInvoice: fc.boolean(),
  }),
);

describe('the currency of an account', () => {
  test('changes only at a balance of zero and without an open invoice, to that of the price plan', () => {
    fc.assert(
      fc.property(currencies, accounts, fc.option(currencies), (currency, account, plan) => {
        const isChange = account !== null && account.currency !== currency;
        const owes = account !== null && (account.balance !== 0n || account.hasOpenInvoice);
        const allowed = !(isChange && owes) && (plan === null || plan === currency);
        expect(currencyProblem(currency, account, plan) === null).toBe(allowed);
      }),
    );
  });

  test('is named in the reason', () => {
    expect(currencyProblem('EUR', { currency: 'USD', balance: 1n, hasOpenInvoice: false }, null)).toBe(
      'currency cannot be changed from USD while the account has a balance.',
    );
    expect(currencyProblem('EUR', null, 'GBP')).toBe(
      'currency must be that of the price plan of the tenant, GBP.',
    );
  });
});

describe('the last top-up', () => {
  const terms = { mode: 'PREPAID', currency: 'EUR', creditLimit: null, invoiceDueDays: 15 } as const;

  test('is kept, whatever the mode, while the currency stays', () => {
    expect(changedTerms(terms, { currency: 'EUR' })).toEqual(terms);
    expect(changedTerms(terms, null)).toEqual(terms);
  });

  test('is forgotten with its currency', () => {
    expect(changedTerms(terms, { currency: 'USD' })).toEqual({ ...terms, lastTopUp: null });
  });
});
