/** Whether a billing account can pay for an outbound call (docs/requirements.md#errors). Pure. */
import type { Millionths } from '../rating/millionths.ts';
import type { BalanceFacts } from './low-balance.ts';

export type AccountRefusal = 'suspended' | 'outbound_blocked' | 'insufficient_balance';

export interface PayingAccount extends Pick<BalanceFacts, 'mode' | 'balance' | 'creditLimit'> {
  status: 'ACTIVE' | 'OUTBOUND_BLOCKED' | 'SUSPENDED';
}

/** @param firstBlock connection fee and first billing block; null: the account does not pay for calls, so its balance does not matter */
export function accountRefusal(
  { status, mode, balance, creditLimit }: PayingAccount,
  firstBlock: Millionths | null,
): AccountRefusal | null {
  if (status === 'SUSPENDED') return 'suspended';
  if (status === 'OUTBOUND_BLOCKED') return 'outbound_blocked';
  const credit = mode === 'PREPAID' ? 0n : creditLimit;
  if (firstBlock === null || credit === null) return null;
  const available = balance + credit;
  if (available <= 0n) return 'outbound_blocked';
  return available < firstBlock ? 'insufficient_balance' : null;
}
