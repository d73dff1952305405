import { expect, test } from 'vitest';
import { accountRefusal } from './outbound-refusal.ts';
import type { AccountRefusal, PayingAccount } from './outbound-refusal.ts';

const prepaid = (
  balance: bigint,
  status: PayingAccount['status'] = 'ACTIVE',
  reserved = 0n,
): PayingAccount => ({
  status,
  mode: 'PREPAID',
  balance,
  reserved,
  creditLimit: null,
});
const postpaid = (balance: bigint, creditLimit: bigint | null): PayingAccount => ({
  status: 'ACTIVE',
  mode: 'POSTPAID',
  balance,
  reserved: 0n,
  creditLimit,
});

test.each<[string, PayingAccount, bigint | null, AccountRefusal | null]>([
  ['prepaid, exactly the first block', prepaid(20n), 20n, null],
  ['prepaid, a millionth too little', prepaid(19n), 20n, 'insufficient_balance'],
  ['prepaid, the rest is reserved', prepaid(50n, 'ACTIVE', 31n), 20n, 'insufficient_balance'],
  ['prepaid, all of it is reserved', prepaid(50n, 'ACTIVE', 50n), 20n, 'outbound_blocked'],
  ['prepaid, nothing left', prepaid(0n), 20n, 'outbound_blocked'],
  ['prepaid, below zero', prepaid(-1n), 20n, 'outbound_blocked'],
  ['prepaid, nothing left and a call without a price', prepaid(0n), 0n, 'outbound_blocked'],
  ['prepaid, nothing left and no plan', prepaid(0n), null, null],
  ['postpaid without limit', postpaid(-1_000_000n, null), 20n, null],
  ['postpaid, within the limit', postpaid(-80n, 100n), 20n, null],
  ['postpaid, a millionth too much', postpaid(-81n, 100n), 20n, 'insufficient_balance'],
  ['postpaid, at the limit', postpaid(-100n, 100n), 20n, 'outbound_blocked'],
  ['blocked, with money', prepaid(1_000n, 'OUTBOUND_BLOCKED'), 20n, 'outbound_blocked'],
  ['suspended, with money', prepaid(1_000n, 'SUSPENDED'), null, 'suspended'],
])('%s', (_, account, firstBlock, refusal) => {
  expect(accountRefusal(account, firstBlock)).toBe(refusal);
});
