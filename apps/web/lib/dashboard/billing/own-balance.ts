/** The balance of the account's own billing account in words, for its owners. Pure. */
import type { BillingAccount } from './resources.ts';

export function balanceInWords({ mode, balance }: Pick<BillingAccount, 'mode' | 'balance'>): string {
  if (balance === '0') return 'You owe nothing';
  if (balance.startsWith('-')) return 'You owe this to the operator';
  return mode === 'PREPAID' ? 'Paid in advance' : 'In your favour';
}

/** For a balance that is low. */
export function lowBalanceInWords({ mode, balance }: Pick<BillingAccount, 'mode' | 'balance'>): {
  title: string;
  advice: string;
} {
  if (mode === 'POSTPAID') {
    return {
      title: 'You owe more than 90 % of your credit limit',
      advice: 'Pay the operator what you owe, or ask it for a higher limit.',
    };
  }
  const title =
    balance === '0' || balance.startsWith('-')
      ? 'The balance is used up'
      : 'The balance is low: less than 10 % of the last top-up is left';
  return { title, advice: 'Pay the operator, who tops up the account.' };
}
