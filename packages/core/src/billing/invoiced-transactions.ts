/** Which transactions an invoice contains: charges and adjustments of its account that are on none yet. */
import type { CallDirection } from '@clarion/protocol';
import type { InvoiceLineKind } from '@clarion/protocol/v1/price/invoices';
import { Prisma } from '@clarion/db';
import type { Tx } from '@clarion/db';
import { startOfNextMonth } from '../ledger/billing-period.ts';
import type { DueCycle } from './billing-cycle.ts';

export interface ClosingCycle extends DueCycle {
  periodTo: Date;
  /** Transactions from then on are left for the next invoice; null: there is none. */
  bookedBefore: Date | null;
}

/** Until the end of the month in which the period began. */
export function wholeMonth(cycle: DueCycle): ClosingCycle {
  const periodTo = startOfNextMonth(cycle.periodFrom);
  return { ...cycle, periodTo, bookedBefore: periodTo };
}

/** What an account was charged for one kind of usage. */
export interface GroupRow {
  accountId: number;
  kind: InvoiceLineKind;
  direction: CallDirection | null;
  /** Decimal text, like `amount`. */
  quantity: string;
  amount: string;
  lastTransactionId: number;
}

export interface Assignment {
  cycle: ClosingCycle;
  invoiceId: number;
  /** The latest of its transactions. Those that were booked after it was found stay for the next invoice. */
  lastTransactionId: number;
}

const isOnNone = Prisma.sql`t."invoiceId" is null and t."kind" in ('CHARGE', 'ADJUSTMENT')`;
const isInvoiced = Prisma.sql`${isOnNone} and (c."bookedBefore" is null or t."createdAt" < c."bookedBefore")`;

/**
 * Includes late entries of earlier periods. Amounts come from the ledger; usage records only say what was charged. A day's quantity is divided by the
 * days of its month, so that quantity times monthly price is the amount.
 */
export const readGroups = (tx: Tx, cycles: readonly ClosingCycle[]): Promise<GroupRow[]> =>
  tx.$queryRaw<GroupRow[]>`
    select t."accountId",
      case t."kind" when 'ADJUSTMENT' then 'ADJUSTMENT' else coalesce(u."kind"::text, 'OTHER') end as "kind",
      case u."kind" when 'CALL' then u."direction" end as "direction",
      trim_scale(round(coalesce(sum(case
        when u."kind" in ('CALL', 'RECORDING') then coalesce(u."billedSeconds", greatest(u."connectedSeconds", u."seconds")) / 60.0
        when u."kind" in ('SEAT', 'NUMBER', 'STORAGE') then
          u."quantity" / extract(day from date_trunc('month', u."day"::timestamp) + interval '1 month - 1 day')
        else 1
      end), 0), 6))::text as "quantity",
      trim_scale(-sum(t."amount"))::text as "amount",
      max(t."id") as "lastTransactionId"
    from jsonb_to_recordset(${JSON.stringify(cycles)}::jsonb)
        as c("accountId" int, "afterTransactionId" int, "bookedBefore" timestamptz)
      join "BillingTransaction" t on t."accountId" = c."accountId" and t."id" > c."afterTransactionId"
        and ${isInvoiced}
      left join "UsageRecord" u on u."id" = case when t."source" like 'usage:%' then substr(t."source", 7)::int end
    group by 1, 2, 3`;

/** Assigns what `readGroups` has found: IDs within an account are in the order of the commits, so nothing can have been added among them. */
export async function assignTransactions(tx: Tx, assignments: readonly Assignment[]): Promise<void> {
  const rows = assignments.map(({ cycle, invoiceId, lastTransactionId }) => ({
    accountId: cycle.accountId,
    afterTransactionId: cycle.afterTransactionId,
    bookedBefore: cycle.bookedBefore,
    invoiceId,
    lastTransactionId,
  }));
  const assigned = Prisma.sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as c("accountId" int,
    "afterTransactionId" int, "bookedBefore" timestamptz, "invoiceId" int, "lastTransactionId" int)`;
  await tx.$executeRaw`
    update "BillingTransaction" t set "invoiceId" = c."invoiceId" from ${assigned}
    where t."accountId" = c."accountId" and t."id" > c."afterTransactionId" and t."id" <= c."lastTransactionId"
      and ${isInvoiced}`;
  // What is left below the last one belongs to the next period.
  await tx.$executeRaw`
    update "BillingCycle" b set "afterTransactionId" = coalesce((
      select min(t."id") - 1 from "BillingTransaction" t
      where t."accountId" = c."accountId" and t."id" > c."afterTransactionId" and t."id" < c."lastTransactionId" and ${isOnNone}
    ), c."lastTransactionId") from ${assigned}
    where b."accountId" = c."accountId"`;
}

export async function endPeriods(tx: Tx, cycles: readonly ClosingCycle[]): Promise<void> {
  await tx.$executeRaw`
    update "BillingCycle" b set "periodFrom" = c."periodTo"
    from jsonb_to_recordset(${JSON.stringify(cycles)}::jsonb) as c("accountId" int, "periodTo" timestamptz)
    where b."accountId" = c."accountId"`;
}
