/** Counts the month again in SQL, from the usage records instead of the ledger, and compares it with the invoices. */
import type { Database } from '@clarion/db';
import { MONTH_END } from './month.ts';

const LISTED = 10;

interface Check {
  what: string;
  wrong: { account: string }[];
}

/** @returns what is wrong; empty: nothing */
export async function recount(db: Database): Promise<string[]> {
  const checks: Check[] = [
    {
      what: 'the total is not that of the usage, or the invoice is missing or one of several',
      wrong: await db.$queryRaw`
        with used as (
          select a."id", a."mode", case a."currency" when 'JPY' then 0 when 'KWD' then 3 else 2 end as decimals,
            coalesce((select sum(u."tenantCharge") from "UsageRecord" u
              where u."tenantId" = a."tenantId" and u."createdAt" < ${MONTH_END}), 0) as amount
          from "BillingAccount" a
        ), invoiced as (
          select "accountId", count(*) as count, sum("total") as total from "Invoice" group by "accountId"
        )
        select u."id"::text as account from used u left join invoiced i on i."accountId" = u."id"
        where case when u."mode" = 'POSTPAID' and round(u.amount, u.decimals) > 0
          then i.count is distinct from 1 or i.total <> round(u.amount, u.decimals) else i.count > 0 end`,
    },
    {
      what: 'a line is not that of the usage',
      wrong: await db.$queryRaw`
        with used as (
          select i."id", u."kind"::text as kind, u."direction", sum(u."tenantCharge") as amount
          from "Invoice" i join "BillingAccount" a on a."id" = i."accountId"
            join "UsageRecord" u on u."tenantId" = a."tenantId" and u."createdAt" < ${MONTH_END}
          group by 1, 2, 3
        ), lines as (
          select "invoiceId" as id, "kind"::text as kind,
            (case "description" when 'Outbound calls' then 'OUTBOUND' when 'Inbound calls' then 'INBOUND' end)::"CallDirection" as direction,
            "amount" from "InvoiceLine"
        )
        (table used except table lines) union all (table lines except table used)`.then(asAccounts),
    },
    {
      what: 'a number is missing or used twice',
      wrong: await db.$queryRaw`
        select "consumerId"::text as account from (
          select *, 'CL-' || lpad((row_number() over (partition by "consumerId" order by "number"))::text, 6, '0') as expected
          from "Invoice") i
        where "number" <> expected`,
    },
    {
      what: 'the counter is not the last number',
      wrong: await db.$queryRaw`
        select c."consumerId"::text as account from "InvoiceCounter" c
        where c."lastNumber" <> (select count(*) from "Invoice" i where i."consumerId" = c."consumerId")`,
    },
    {
      what: 'a charge is not on the invoice of its account and month',
      wrong: await db.$queryRaw`
        select t."accountId"::text as account from "BillingTransaction" t left join "Invoice" i on i."accountId" = t."accountId"
        where t."kind" = 'CHARGE' and t."invoiceId" is distinct from (case when t."createdAt" < ${MONTH_END} then i."id" end)`,
    },
    {
      what: 'the balance is not the total and what was charged after it',
      wrong: await db.$queryRaw`
        select a."id"::text as account from "BillingAccount" a left join "Invoice" i on i."accountId" = a."id"
        where a."balance" <> (select coalesce(sum("amount"), 0) from "BillingTransaction" t where t."accountId" = a."id")
          or i."id" is not null and a."balance" <> -i."total" - coalesce((select sum(u."tenantCharge") from "UsageRecord" u
            where u."tenantId" = a."tenantId" and u."createdAt" >= ${MONTH_END}), 0)`,
    },
    {
      what: 'the last transaction does not have the balance',
      wrong: await db.$queryRaw`
        select a."id"::text as account from "BillingAccount" a join lateral (
          select "balanceAfter" from "BillingTransaction" t where t."accountId" = a."id" order by "id" desc limit 1) t on true
        where t."balanceAfter" <> a."balance"`,
    },
  ];
  return checks.flatMap(({ what, wrong }) =>
    wrong.length === 0
      ? []
      : `${what}: ${wrong.length}, such as ${wrong
          .slice(0, LISTED)
          .map(({ account }) => account)
          .join(', ')}`,
  );
}

const asAccounts = (rows: unknown): { account: string }[] =>
  (rows as { id: number }[]).map(({ id }) => ({ account: `invoice ${id}` }));
