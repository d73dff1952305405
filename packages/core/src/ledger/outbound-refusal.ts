/** Whether a billing account can pay for a call, and the error if it cannot (docs/requirements.md#errors). Pure. */
import { ApiError } from '@clarion/protocol';
import type { ErrorCode } from '@clarion/protocol';
import type { Millionths } from '../rating/millionths.ts';
import type { BillingOwner } from './call-credit.ts';
import type { BalanceFacts } from './low-balance.ts';

export type AccountRefusal = 'suspended' | 'outbound_blocked' | 'insufficient_balance';

export interface PayingAccount extends Pick<BalanceFacts, 'mode' | 'balance' | 'creditLimit'> {
  status: 'ACTIVE' | 'OUTBOUND_BLOCKED' | 'SUSPENDED';
  /** For running calls. */
  reserved: Millionths;
}

/**
 * For an outbound call.
 *
 * @param firstBlock connection fee and first billing block; null: the account does not pay for calls, so its balance does not matter
 */
export function accountRefusal(
  { status, mode, balance, reserved, creditLimit }: PayingAccount,
  firstBlock: Millionths | null,
): AccountRefusal | null {
  if (status === 'SUSPENDED') return 'suspended';
  if (status === 'OUTBOUND_BLOCKED') return 'outbound_blocked';
  const credit = mode === 'PREPAID' ? 0n : creditLimit;
  if (firstBlock === null || credit === null) return null;
  const available = balance - reserved + credit;
  if (available <= 0n) return 'outbound_blocked';
  return available < firstBlock ? 'insufficient_balance' : null;
}

const codes = {
  TENANT: {
    suspended: 'tenant_suspended',
    outbound_blocked: 'tenant_outbound_blocked',
    insufficient_balance: 'tenant_insufficient_balance',
  },
  CONSUMER: {
    suspended: 'account_suspended',
    outbound_blocked: 'outbound_blocked',
    insufficient_balance: 'insufficient_balance',
  },
} as const satisfies Record<BillingOwner, Record<AccountRefusal, ErrorCode>>;

/** 402 */
export const creditRefusal = (owner: BillingOwner, refusal: AccountRefusal): ApiError =>
  owner === 'TENANT' && refusal === 'suspended'
    ? new ApiError('tenant_suspended', { message: 'The billing account of the tenant is suspended.' })
    : new ApiError(codes[owner][refusal]);

export const isCreditRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && Object.values(codes).some((ofOwner) => isIn(ofOwner, error.code));

const isIn = (ofOwner: Record<AccountRefusal, ErrorCode>, code: ErrorCode): boolean =>
  Object.values(ofOwner).includes(code);
