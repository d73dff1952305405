/** Adds a transaction to a billing account. Only the trigger `book_charge`, which books usage, changes a balance, too. */
import type { BillingAccount, BillingTransactionKind, Tx } from '@clarion/db';

export interface Entry {
  kind: BillingTransactionKind;
  /** Decimal text; below zero: a debit. */
  amount: string;
  /** Unique per account: `top-up:<uuid>`, `adjustment:<uuid>`; `usage:<id>` of charges. Booking it again violates the constraint and changes nothing. */
  source: string;
  description: string | null;
}

/** Balances are stored with this many whole digits. */
export const MAX_BALANCE_DIGITS = 12;

/**
 * The balance and its transaction in one statement: concurrent ones wait for the account's row, so each adds to the balance that the one
 * before has left. Null: the balance would have too many digits, or there is no such account.
 */
export async function book(
  db: Tx,
  accountId: number,
  { kind, amount, source, description }: Entry,
  now: Date,
): Promise<BillingAccount | null> {
  const [account] = await db.$queryRaw<BillingAccount[]>`
    with account as (
      update "BillingAccount" set "balance" = "balance" + ${amount}::numeric, "updatedAt" = ${now},
        "lastTopUp" = case when ${kind} = 'TOP_UP' then ${amount}::numeric else "lastTopUp" end
      where "id" = ${accountId} and abs("balance" + ${amount}::numeric) < 10::numeric ^ ${MAX_BALANCE_DIGITS}::int
      returning *
    ), booked as (
      insert into "BillingTransaction" ("accountId", "kind", "amount", "balanceAfter", "description", "source", "createdAt")
      select "id", ${kind}::"BillingTransactionKind", ${amount}::numeric, "balance", ${description}, ${source}, ${now}
      from account
    )
    select * from account`;
  return account ?? null;
}
