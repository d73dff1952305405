/** Adds transactions to billing accounts. Only the trigger `book_charge`, which books usage, changes a balance, too. */
import type { BillingAccount, BillingTransactionKind, Tx } from '@clarion/db';

export interface Entry {
  kind: BillingTransactionKind;
  /** Decimal text; below zero: a debit. */
  amount: string;
  /** Unique per account: `top-up:<uuid>`, `adjustment:<uuid>`; `usage:<id>` of charges; `rounding:<id>` and `invoice:<id>` of an invoice. Booking it again violates the constraint and changes nothing. */
  source: string;
  description: string | null;
  /** The invoice that it rounds or pays. */
  invoiceId?: number;
}

/** Balances are stored with this many whole digits. */
export const MAX_BALANCE_DIGITS = 12;

/** Null: the balance would have too many digits, or there is no such account. */
export async function book(
  db: Tx,
  accountId: number,
  entry: Entry,
  now: Date,
): Promise<BillingAccount | null> {
  const [account] = await bookEach(db, [{ ...entry, accountId }], now);
  return account ?? null;
}

/**
 * One entry for each of several accounts. The balances and their transactions in one statement: concurrent ones wait for the account's row, so
 * each adds to the balance that the one before has left.
 *
 * @returns the changed accounts: without those whose balance would have too many digits
 */
export const bookEach = (
  db: Tx,
  entries: readonly (Entry & { accountId: number })[],
  now: Date,
): Promise<BillingAccount[]> =>
  db.$queryRaw<BillingAccount[]>`
    with entry as (
      select * from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as e(
        "accountId" int, "kind" text, "amount" numeric, "source" text, "description" text, "invoiceId" int)
    ), locked as materialized (
      -- In the order in which the calls that charge two accounts lock them.
      select "id" from "BillingAccount" where "id" in (select "accountId" from entry) order by "id" for no key update
    ), account as (
      update "BillingAccount" a set "balance" = a."balance" + e."amount", "updatedAt" = ${now},
        "lastTopUp" = case when e."kind" = 'TOP_UP' then e."amount" else a."lastTopUp" end
      from entry e join locked l on l."id" = e."accountId"
      where a."id" = e."accountId" and abs(a."balance" + e."amount") < 10::numeric ^ ${MAX_BALANCE_DIGITS}::int
      returning a.*
    ), booked as (
      insert into "BillingTransaction"
        ("accountId", "kind", "amount", "balanceAfter", "description", "invoiceId", "source", "createdAt")
      select a."id", e."kind"::"BillingTransactionKind", e."amount", a."balance", e."description", e."invoiceId", e."source", ${now}
      from account a join entry e on e."accountId" = a."id"
    )
    select * from account`;
