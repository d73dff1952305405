/** What a change of a billing account's mode and currency allows (docs/requirements.md#prices). Pure. */
import type { Millionths } from '../rating/millionths.ts';

export interface AccountTerms {
  mode: 'PREPAID' | 'POSTPAID';
  currency: string;
  /** Null: no limit. */
  creditLimit: string | null;
  invoiceDueDays: number;
}

/** A tenant's billing account is with the consumer; an account is the consumer itself, which owes the operator. */
export type OwnerNoun = 'tenant' | 'account';

/**
 * Why an account cannot have this currency; null: it can. Amounts are never converted, so a balance keeps its currency, and its owner is
 * charged in that of its price plan.
 */
export function currencyProblem(
  currency: string,
  account: { currency: string; balance: Millionths; reserved: Millionths; hasOpenInvoice: boolean } | null,
  plan: { currency: string } | null,
  owner: OwnerNoun,
): string | null {
  if (account && account.currency !== currency) {
    const reason = reasonToKeep(account);
    if (reason !== null) return `currency cannot be changed from ${account.currency} while ${reason}.`;
  }
  if (plan && plan.currency !== currency) {
    return `currency must be that of the price plan of the ${owner}, ${plan.currency}.`;
  }
  return null;
}

function reasonToKeep(account: { balance: Millionths; reserved: Millionths; hasOpenInvoice: boolean }) {
  if (account.balance !== 0n) return 'the account has a balance';
  if (account.hasOpenInvoice) return 'the account has an open invoice';
  return account.reserved === 0n ? null : 'a call is in progress';
}

/** Why the owner of an account cannot be put on a price plan; null: it can. */
export const planProblem = (
  plan: { currency: string },
  account: { currency: string } | null,
  owner: OwnerNoun,
): string | null =>
  account && account.currency !== plan.currency
    ? `the price plan is in ${plan.currency}, but the ${owner}'s billing account is in ${account.currency}.`
    : null;

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
