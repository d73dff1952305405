/**
 * The usage that is charged by the day (docs/requirements.md#prices): stored gigabytes, agents, numbers and the monthly fee of each tenant, for
 * the days (UTC) that have ended. A tenant has one record per kind and day, and none of a kind that no plan prices.
 *
 * A day that was left out, because no worker ran, is recorded later. Its agents and numbers are those of that day, its prices and files those
 * of the time at which it is recorded.
 */
import type { Database } from '@clarion/db';
import { plansOf, pricesWithoutNumber } from '../price-book/choose-prices.ts';
import { readPrices } from '../price-book/read-prices.ts';
import { perMinuteOf } from '../rating/call-pricing.ts';
import type { ChosenPrice } from '../rating/call-pricing.ts';
import { amountOf, millionthsOf } from '../rating/millionths.ts';
import { shareOfMonth } from '../rating/monthly-share.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Days that were left out longer ago than this are not recorded any more. */
const LATEST_DAYS = 31;
/** Tenants per query. */
const BATCH = 200;
const DAILY = ['MONTHLY_FEE', 'SEAT', 'NUMBER', 'STORAGE'] as const;
type DailyKind = (typeof DAILY)[number];

/** Quantities are decimal text. */
interface TenantDay extends Record<DailyKind, string> {
  tenantId: number;
  tenantRef: string;
  consumerId: number;
  accountPlanId: number | null;
  tenantPlanId: number | null;
}

/** @returns how many records were written; a day that is recorded gets no others */
export async function recordDailyUsage(db: Database, now: Date, batch = BATCH): Promise<number> {
  let written = 0;
  for (const day of await missingDays(db, now)) {
    written += await recordTenants(db, day, batch);
    await db.recordedDay.createMany({ data: [{ day }], skipDuplicates: true });
  }
  return written;
}

/** The days since the newest that is recorded, the oldest first; on a new installation the last one. */
async function missingDays(db: Database, now: Date): Promise<Date[]> {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const newest = await db.recordedDay.findFirst({ orderBy: { day: 'desc' } });
  const from = newest ? newest.day.getTime() + DAY_MS : today - DAY_MS;
  const days: Date[] = [];
  for (let day = Math.max(from, today - LATEST_DAYS * DAY_MS); day < today; day += DAY_MS)
    days.push(new Date(day));
  return days;
}

async function recordTenants(db: Database, day: Date, batch: number): Promise<number> {
  const end = new Date(day.getTime() + DAY_MS);
  let written = 0;
  for (let after = 0; ;) {
    const tenants = await tenantsOn(db, { day, end, after, batch });
    for (const tenant of tenants) written += await recordDay(db, tenant, day, end);
    const last = tenants.at(-1);
    if (!last || tenants.length < batch) return written;
    after = last.tenantId;
  }
}

/** An agent or a number counts if it was there at any time of the day; files count if they are there now. A gigabyte has 10^9 bytes. */
const tenantsOn = (
  db: Database,
  { day, end, after, batch }: { day: Date; end: Date; after: number; batch: number },
): Promise<TenantDay[]> =>
  db.$queryRaw<TenantDay[]>`
    select t."id" as "tenantId", t."ref" as "tenantRef", t."consumerId", a."pricePlanId" as "accountPlanId",
      t."pricePlanId" as "tenantPlanId", '1' as "MONTHLY_FEE",
      (select count(*)::text from "Agent" g where g."tenantId" = t."id" and g."createdAt" < ${end}
        and (g."deletedAt" is null or g."deletedAt" >= ${day})) as "SEAT",
      (select count(*)::text from "PhoneNumber" n where n."tenantId" = t."id" and n."createdAt" < ${end}
        and (n."status" = 'ASSIGNED' or n."releasedAt" >= ${day})) as "NUMBER",
      round((
        coalesce((select sum(r."sizeBytes"::numeric) from "Recording" r join "Call" c on c."id" = r."callId"
          where c."tenantId" = t."id" and r."createdAt" < ${end}), 0)
        + coalesce((select sum(f."sizeBytes"::numeric) from "AudioAsset" f
          where f."tenantId" = t."id" and f."createdAt" < ${end}), 0)) / 1e9, 6)::text as "STORAGE"
    from "Tenant" t join "Consumer" a on a."id" = t."consumerId"
    where t."id" > ${after} and t."createdAt" < ${end} and (t."pricePlanId" is not null or a."pricePlanId" is not null)
    order by t."id" limit ${batch}`;

async function recordDay(db: Database, tenant: TenantDay, day: Date, end: Date): Promise<number> {
  const { tenantId, tenantRef, consumerId } = tenant;
  const plans = await plansOf(db, readPrices, tenant);
  const rows = [];
  for (const kind of DAILY) {
    const facts = { kind, direction: null, channelType: null, trunkOwner: null };
    const { platform, tenant: charge } = await pricesWithoutNumber(plans, facts);
    if (!platform && !charge) continue;
    const quantity = tenant[kind];
    const amount = (price: ChosenPrice) => amountOfDay(price, day, quantity);
    rows.push({
      consumerId,
      tenantId,
      tenantRef,
      kind,
      seconds: 0,
      day,
      quantity,
      createdAt: new Date(end.getTime() - 1),
      ...(platform && { platformCost: amount(platform), platformCurrency: platform.currency }),
      ...(charge && {
        tenantCharge: amount(charge),
        tenantCurrency: charge.currency,
        tenantMethod: charge.method,
        tenantMarkup: charge.markupPercent ?? null,
      }),
    });
  }
  const { count } = await db.usageRecord.createMany({ data: rows, skipDuplicates: true });
  return count;
}

/** @param quantity decimal text */
export const amountOfDay = (price: ChosenPrice, day: Date, quantity: string): string =>
  amountOf(shareOfMonth(perMinuteOf(price), day, millionthsOf(quantity)));
