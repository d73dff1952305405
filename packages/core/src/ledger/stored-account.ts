/** A stored billing account → what decisions about it need. Pure. */
import { millionthsOf } from '../rating/millionths.ts';
import type { BalanceFacts } from './low-balance.ts';
import type { PayingAccount } from './outbound-refusal.ts';

/** Decimal of Prisma. */
interface Decimal {
  toFixed(): string;
}

interface StoredAccount extends Pick<PayingAccount, 'mode' | 'status'> {
  balance: Decimal;
  reserved: Decimal;
  creditLimit: Decimal | null;
  lastTopUp: Decimal | null;
}

export const factsOf = ({
  mode,
  status,
  balance,
  reserved,
  creditLimit,
  lastTopUp,
}: StoredAccount): BalanceFacts & PayingAccount => ({
  mode,
  status,
  balance: millionthsOf(balance.toFixed()),
  reserved: millionthsOf(reserved.toFixed()),
  creditLimit: creditLimit && millionthsOf(creditLimit.toFixed()),
  lastTopUp: lastTopUp && millionthsOf(lastTopUp.toFixed()),
});
