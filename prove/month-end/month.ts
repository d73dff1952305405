/** The month that is invoiced, and its tenants and charges. */
import type { Database } from '@clarion/db';

export const MONTH_START = new Date('2026-01-01T00:00:00Z');
export const MONTH_END = new Date('2026-02-01T00:00:00Z');
/** When the job runs. */
export const RUN_AT = new Date('2026-02-01T00:10:00Z');

const ISSUERS = 3;

/**
 * Tenants of three consumers, in currencies with 0, 2 and 3 decimals; every 20th is PREPAID, every 50th has used nothing. Of the charges, a part belongs
 * to the next month. Triggers are off while the rows are written, which would take minutes; the rows are those that they write.
 */
export async function fillMonth(db: Database, tenants: number, records: number): Promise<void> {
  await db.$executeRaw`
    insert into "Consumer" ("slug", "name") select 'consumer-' || n, 'Consumer ' || n from generate_series(1, ${ISSUERS}::int) n`;
  await db.$executeRaw`
    insert into "Tenant" ("consumerId", "ref", "name", "updatedAt")
    select c."id", 't-' || n, 'Tenant ' || n, ${MONTH_START}
    from generate_series(1, ${tenants}::int) n
      join (select "id", row_number() over (order by "id") as place from "Consumer") c on c.place = n % ${ISSUERS}::int + 1`;
  await db.$executeRaw`
    insert into "BillingAccount" ("consumerId", "owner", "tenantId", "tenantRef", "mode", "currency", "invoiceDueDays", "createdAt", "updatedAt")
    select "consumerId", 'TENANT', "id", "ref", (case when "id" % 20 = 0 then 'PREPAID' else 'POSTPAID' end)::"BillingMode",
      (array['USD', 'USD', 'EUR', 'JPY', 'KWD'])[1 + "id" % 5], 15, ${MONTH_START}, ${MONTH_START}
    from "Tenant"`;
  await db.$transaction(
    async (tx) => {
      await tx.$executeRaw`alter table "UsageRecord" disable trigger user`;
      await tx.$executeRaw`
        insert into "UsageRecord" ("consumerId", "tenantId", "tenantRef", "kind", "direction", "seconds", "connectedSeconds", "billedSeconds",
          "day", "quantity", "tenantCharge", "tenantCurrency", "createdAt")
        select a."consumerId", a."tenantId", a."tenantRef",
          (case when round % 10 < 7 then 'CALL' when round % 10 < 9 then 'RECORDING' else 'SEAT' end)::"UsageKind",
          (case when round % 10 < 4 then 'OUTBOUND' when round % 10 < 7 then 'INBOUND' end)::"CallDirection",
          n % 600, n % 600 + 1, (n % 600 / 60 + 1) * 60,
          case when round % 10 = 9 then date '2026-01-01' + round end, case when round % 10 = 9 then n % 7 + 1 end,
          (1 + n::bigint * 7919 % 4999999) / 1000000.0, a."currency",
          ${MONTH_START}::timestamptz + n::bigint * 104729 % 2730000 * interval '1 second'
        from (select count(*)::int as tenants from "BillingAccount" where "tenantId" % 50 > 0) c
          cross join generate_series(0, ${records}::int - 1) n
          cross join lateral (select n / c.tenants as round) r
          join (select *, row_number() over (order by "id") - 1 as place from "BillingAccount" where "tenantId" % 50 > 0) a
            on a.place = n % c.tenants`;
      await tx.$executeRaw`alter table "UsageRecord" enable trigger user`;
      await tx.$executeRaw`
        insert into "BillingTransaction" ("accountId", "kind", "amount", "balanceAfter", "description", "source", "createdAt")
        select a."id", 'CHARGE', -u."tenantCharge", -sum(u."tenantCharge") over (partition by a."id" order by u."id"), 'A charge',
          'usage:' || u."id", u."createdAt"
        from "UsageRecord" u join "BillingAccount" a on a."tenantId" = u."tenantId" order by u."id"`;
      await tx.$executeRaw`
        update "BillingAccount" a set "balance" = s.sum from
          (select "accountId", sum("amount") from "BillingTransaction" group by "accountId") s where s."accountId" = a."id"`;
    },
    { timeout: 600_000 },
  );
  await db.$executeRaw`analyze "UsageRecord", "BillingTransaction", "BillingAccount", "BillingCycle", "Tenant"`;
}
