/** What a change of a billing account's mode and currency allows (docs/requirements.md#prices). Pure. */
import type { Millionths } from '../rating/millionths.ts';

export interface AccountTerms {
  mode: 'PREPAID' | 'POSTPAID';
  currency: string;
  /** Null: no limit. */
  creditLimit: string | null;
  invoiceDueDays: number;
}

/**
 * Why an account cannot have this currency; null: it can. Amounts are never converted, so a balance keeps its currency, and a tenant is
 * charged in that of its price plan.
 */
export function currencyProblem(
  currency: string,
  account: { currency: string; balance: Millionths; hasOpenInvoice: boolean } | null,
  planCurrency: string | null,
): string | null {
  if (account && account.currency !== currency) {
    const kept = `currency cannot be changed from ${account.currency} while the account has`;
    if (account.balance !== 0n) return `${kept} a balance.`;
    if (account.hasOpenInvoice) return `${kept} an open invoice.`;
  }
  if (planCurrency !== null && planCurrency !== currency) {
    return `currency must be that of the price plan of the tenant, ${planCurrency}.`;
  }
  return null;
}

/** Whether a last invoice is due. In another currency there is none: the balance is zero, so nothing is owed. */
export const leavesPostpaid = (terms: AccountTerms, postpaid: { currency: string }): boolean =>
  terms.mode === 'PREPAID' && terms.currency === postpaid.currency;

/** The columns to write. The mode may change at any time and keeps the balance; a top-up in another currency says nothing about it. */
export const changedTerms = (
  terms: AccountTerms,
  account: { currency: string } | null,
): AccountTerms & { lastTopUp?: null } => ({
  ...terms,
  ...(account && account.currency !== terms.currency && { lastTopUp: null }),
});
