/** When the balance of a billing account is low, and when that is announced (docs/requirements.md#prices). Pure. */
import type { Millionths } from '../rating/millionths.ts';

export interface BalanceFacts {
  mode: 'PREPAID' | 'POSTPAID';
  /** Below zero: owed. */
  balance: Millionths;
  /** Of POSTPAID; null: no limit. */
  creditLimit: Millionths | null;
  /** Null: never topped up in this currency. */
  lastTopUp: Millionths | null;
}

/** PREPAID: below 10 % of the last top-up, or below zero without one. POSTPAID: more than 90 % of the credit limit is owed. */
export function isLow({ mode, balance, creditLimit, lastTopUp }: BalanceFacts): boolean {
  if (mode === 'PREPAID') return balance * 10n < (lastTopUp ?? 0n);
  return creditLimit !== null && -balance * 10n > creditLimit * 9n;
}

/** After each change of the account: whether to announce it now, and whether it counts as announced from now on. */
export function announcement(
  facts: BalanceFacts,
  wasAnnounced: boolean,
): { announce: boolean; announced: boolean } {
  const low = isLow(facts);
  return { announce: low && !wasAnnounced, announced: low };
}
