import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changedTerms, currencyProblem, planProblem } from './account-terms.ts';

const currencies = fc.constantFrom('USD', 'EUR', 'GBP');
const amounts = fc.bigInt({ min: -2n, max: 2n });
const accounts = fc.option(
  fc.record({ currency: currencies, balance: amounts, reserved: amounts, hasOpenInvoice: fc.boolean() }),
);
const unused = { balance: 0n, reserved: 0n, hasOpenInvoice: false };

describe('the currency of an account', () => {
  test('changes only at a balance of zero without calls or an open invoice, to that of the price plan', () => {
    fc.assert(
      fc.property(currencies, accounts, fc.option(currencies), (currency, account, plan) => {
        const isChange = account !== null && account.currency !== currency;
        const isUsed =
          account !== null && (account.balance !== 0n || account.reserved !== 0n || account.hasOpenInvoice);
        const allowed = !(isChange && isUsed) && (plan === null || plan === currency);
        const problem = currencyProblem(currency, account, plan && { currency: plan }, 'tenant');
        expect(problem === null).toBe(allowed);
      }),
    );
  });

  test('is named in the reason', () => {
    expect(currencyProblem('EUR', { currency: 'USD', ...unused, balance: 1n }, null, 'tenant')).toBe(
      'currency cannot be changed from USD while the account has a balance.',
    );
    expect(currencyProblem('EUR', { currency: 'USD', ...unused, reserved: 1n }, null, 'tenant')).toBe(
      'currency cannot be changed from USD while a call is in progress.',
    );
    expect(currencyProblem('EUR', { currency: 'USD', ...unused, hasOpenInvoice: true }, null, 'tenant')).toBe(
      'currency cannot be changed from USD while the account has an open invoice.',
    );
    expect(currencyProblem('EUR', null, { currency: 'GBP' }, 'tenant')).toBe(
      'currency must be that of the price plan of the tenant, GBP.',
    );
    expect(planProblem({ currency: 'GBP' }, { currency: 'EUR' }, 'account')).toBe(
      "the price plan is in GBP, but the account's billing account is in EUR.",
    );
  });
});

test('a plan can be assigned exactly if an account could be opened in its currency, or is in it', () => {
  fc.assert(
    fc.property(currencies, fc.option(currencies), (plan, account) => {
      const problem = planProblem(
        { currency: plan },
        account === null ? null : { currency: account },
        'tenant',
      );
      expect(problem === null).toBe(account === null || account === plan);
      if (account === null || problem !== null) return;
      expect(
        currencyProblem(account, { currency: account, ...unused, balance: 1n }, { currency: plan }, 'tenant'),
      ).toBeNull();
    }),
  );
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
