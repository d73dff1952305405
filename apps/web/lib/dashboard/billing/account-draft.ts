/** The form values of a billing account and of a change of its balance. */
import { chosenCurrency } from '../edit/CurrencyField.tsx';
import { RequestProblem } from '../request.ts';
import type { BillingAccount } from './resources.ts';

export interface AccountDraft {
  mode: BillingAccount['mode'];
  currency: string;
  /** Empty: no limit. */
  creditLimit: string;
  invoiceDueDays: number | null;
}

const DEFAULT_CURRENCY = 'USD';
/** docs/requirements.md#limits */
export const DUE_DAYS = { min: 0, max: 120, default: 15 };

/** @param planCurrency of the tenant's price plan, in which its account must be */
export const accountDraftOf = (
  account: BillingAccount | null,
  planCurrency: string | null,
): AccountDraft => ({
  mode: account?.mode ?? 'PREPAID',
  currency: account?.currency ?? planCurrency ?? DEFAULT_CURRENCY,
  creditLimit: account?.creditLimit ?? '',
  invoiceDueDays: account?.invoiceDueDays ?? DUE_DAYS.default,
});

/** @throws RequestProblem for a cleared currency */
export const accountBodyOf = ({ mode, currency, creditLimit, invoiceDueDays }: AccountDraft) => ({
  mode,
  currency: chosenCurrency(currency),
  credit_limit: mode === 'POSTPAID' && creditLimit.trim() !== '' ? creditLimit.trim() : null,
  ...(invoiceDueDays !== null && { invoice_due_days: invoiceDueDays }),
});

export interface AdjustmentDraft {
  direction: 'CREDIT' | 'DEBIT';
  amount: string;
  reason: string;
}

/** @throws RequestProblem for an amount with a sign, which could contradict the direction */
export function adjustmentBodyOf({ direction, amount, reason }: AdjustmentDraft) {
  const size = amount.trim();
  if (/^[+-]/.test(size)) {
    throw new RequestProblem('Enter the amount without a sign.', {
      status: 400,
      code: 'invalid_request',
      details: { field: 'amount' },
    });
  }
  return { amount: direction === 'DEBIT' ? `-${size}` : size, reason: reason.trim() };
}
