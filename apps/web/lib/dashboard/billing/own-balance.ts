/** The balance of the account's own billing account in words, for its owners. Pure. */
import type { BillingAccount } from './resources.ts';

const TOP_UP = 'Pay the operator, who tops up the account.';

export function balanceInWords({ mode, balance }: Pick<BillingAccount, 'mode' | 'balance'>): string {
  if (balance === '0') return 'You owe nothing';
  if (balance.startsWith('-')) return 'You owe this to the operator';
  return mode === 'PREPAID' ? 'Paid in advance' : 'In your favour';
}

/** What to do about the balance; null: nothing. A PREPAID account that was never topped up is used up, but not low. */
export function balanceWarning(
  { mode, balance }: Pick<BillingAccount, 'mode' | 'balance'>,
  lowBalance: boolean,
): { title: string; advice: string } | null {
  const usedUp = mode === 'PREPAID' && (balance === '0' || balance.startsWith('-'));
  if (usedUp) return { title: 'Calls are refused: the balance is used up', advice: TOP_UP };
  if (!lowBalance) return null;
  if (mode === 'PREPAID') {
    return { title: 'The balance is low: less than 10 % of the last top-up is left', advice: TOP_UP };
  }
  return {
    title: 'You owe more than 90 % of your credit limit',
    advice: 'Pay the operator what you owe, or ask it for a higher limit.',
  };
}
