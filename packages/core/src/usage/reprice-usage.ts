/**
 * Prices usage that has no price, after a rate deck or a plan was set or corrected (docs/requirements.md#prices). What has a price keeps it,
 * and what is paid to the platform is not touched. In batches, each in a transaction of its own: an interrupted run can be repeated.
 */
import type { Prisma, UsageRecord } from '@clarion/db';
import { BatchedPrices } from '../price-book/batched-prices.ts';
import { choosePrices, plansOf, pricesWithoutNumber } from '../price-book/choose-prices.ts';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { windowAt } from '../query-window.ts';
import { markedUp } from '../rating/charge.ts';
import { usagePrices } from '../rating/call-pricing.ts';
import type { RoutePrices, TenantPrice } from '../rating/call-pricing.ts';
import { amountOf, millionthsOf } from '../rating/millionths.ts';
import { itemFor } from '../rating/price-item.ts';
import type { TrunkOwner, UsageFacts } from '../rating/price-item.ts';
import { amountOfDay } from './record-daily-usage.ts';

/** Records per transaction. */
const BATCH = 1_000;

export interface Repriced {
  from: string;
  to: string;
  /** Records without a price that were priced again. */
  cleared: number;
  /** Prices that were found. */
  ratings: number;
}

/** @throws 400 naming `from` or `to` */
export async function repriceUsage(
  ctx: Ctx,
  given: { from: Date | null; to: Date | null },
  batch = BATCH,
): Promise<Repriced> {
  const { from, to } = windowAt(ctx, given);
  const prices = new BatchedPrices(ctx.now);
  const total = { cleared: 0, ratings: 0 };
  for (let after = 0; ;) {
    const done = await inTransaction(ctx, (inner) => repriceBatch(inner, prices, { from, to, after, batch }));
    total.cleared += done.cleared;
    total.ratings += done.ratings;
    if (done.last === null) break;
    after = done.last;
  }
  return { from: from.toISOString(), to: to.toISOString(), ...total };
}

export const auditReprice = (ctx: Ctx, { from, to, cleared, ratings }: Repriced): Promise<void> =>
  audit(ctx, { action: 'usage.reprice', target: 'usage', details: { from, to, cleared, ratings } });

interface Page {
  from: Date;
  to: Date;
  after: number;
  batch: number;
}

type Lacking = Pick<
  UsageRecord,
  | 'id'
  | 'tenantId'
  | 'kind'
  | 'direction'
  | 'channelType'
  | 'seconds'
  | 'connectedSeconds'
  | 'pricedNumber'
  | 'billedSeconds'
  | 'day'
> & {
  /** Decimal text; null: not charged by the day. */
  quantity: string | null;
  trunkOwner: TrunkOwner | null;
  startedAt: Date;
  sipTrunkId: number | null;
  /** The BUY deck of its trunk for its direction, as of now. */
  deckId: number | null;
  tenantPlanId: number | null;
  carrierCost: string | null;
  carrierCurrency: string | null;
  tenantCharge: string | null;
  platformCost: string | null;
  platformCurrency: string | null;
};

/** Of the account, and locked: a concurrent run waits, and then finds their prices. */
const lacking = ({ db, consumer }: Ctx, { from, to, after, batch }: Page): Promise<Lacking[]> =>
  db.$queryRaw<Lacking[]>`
    select u."id", u."tenantId", u."kind"::text, u."direction"::text, u."channelType"::text, u."trunkOwner", u."seconds", u."connectedSeconds",
      u."pricedNumber", u."billedSeconds", u."day", u."quantity"::text, coalesce(u."startedAt", u."createdAt") as "startedAt", u."sipTrunkId",
      case u."direction" when 'INBOUND' then s."inboundBuyDeckId" else s."buyDeckId" end as "deckId",
      t."pricePlanId" as "tenantPlanId", u."carrierCost"::text, u."carrierCurrency", u."tenantCharge"::text, u."platformCost"::text, u."platformCurrency"
    from "UsageRecord" u
      left join "SipTrunk" s on s."id" = u."sipTrunkId" and s."consumerId" = u."consumerId"
      left join "Tenant" t on t."id" = u."tenantId"
    where u."consumerId" = ${consumer.id} and u."createdAt" >= ${from} and u."createdAt" < ${to} and u."id" > ${after}
      and (u."kind" = 'CALL' and u."connectedSeconds" > 0 or u."kind" = 'RECORDING' and u."seconds" > 0 or u."day" is not null)
      and (u."tenantCharge" is null and t."pricePlanId" is not null
        or u."carrierCost" is null and u."kind" = 'CALL' and u."pricedNumber" is not null
          and case u."direction" when 'INBOUND' then s."inboundBuyDeckId" else s."buyDeckId" end is not null)
    order by u."id" limit ${batch} for update of u`;

async function repriceBatch(
  ctx: Ctx,
  prices: BatchedPrices,
  page: Page,
): Promise<{ cleared: number; ratings: number; last: number | null }> {
  const records = await lacking(ctx, page);
  const changes = await Promise.all(records.map((record) => changeOf(ctx, prices, record)));
  await lockCharged(
    ctx,
    records.filter((_, index) => typeof changes[index]?.tenantCharge === 'string'),
  );
  let ratings = 0;
  for (const [index, record] of records.entries()) {
    const data = changes[index];
    if (!data || Object.keys(data).length === 0) continue;
    ratings += [data.carrierCost, data.tenantCharge].filter((amount) => typeof amount === 'string').length;
    await ctx.db.usageRecord.update({ where: { id: record.id }, data });
  }
  const last = records.length < page.batch ? null : (records.at(-1)?.id ?? null);
  return { cleared: records.length, ratings, last };
}

/** The accounts that the updates charge. Every transaction locks accounts in the order of their IDs, and records are in another order. */
async function lockCharged({ db }: Ctx, records: readonly Lacking[]): Promise<void> {
  const tenantIds = [...new Set(records.flatMap(({ tenantId }) => tenantId ?? []))];
  if (tenantIds.length === 0) return;
  await db.$queryRaw`
    select 1 from "BillingAccount" where "tenantId" = any(${tenantIds}) order by "id" for no key update`;
}

/** The columns that were without a price and have one now. */
async function changeOf(
  { db, consumer }: Ctx,
  prices: BatchedPrices,
  record: Lacking,
): Promise<Prisma.UsageRecordUpdateInput> {
  const route = await routeOf(db, prices, record, consumer.id);
  const { day, quantity } = record;
  if (day !== null && quantity !== null)
    return (await markupOnCost(db, prices, record)) ?? chargeOfDay(route?.tenant, day, quantity);
  const seconds = record.kind === 'CALL' ? record.connectedSeconds : record.seconds;
  const found = usagePrices(route, seconds);
  const isCarrier = record.carrierCost === null && record.kind === 'CALL';
  const carrier = isCarrier && {
    ...(found.carrierCost !== null && {
      carrierCost: found.carrierCost,
      carrierCurrency: found.carrierCurrency,
      carrierEntryId: found.carrierEntryId,
    }),
    carrierReason: found.carrierReason,
  };
  // A markup is on the carrier's price if that has just been found, as if it had been there when the call began.
  const markup = isCarrier && found.carrierCost !== null ? null : await markupOnCost(db, prices, record);
  const charge =
    record.tenantCharge === null &&
    (markup ?? {
      tenantCharge: found.tenantCharge,
      tenantCurrency: found.tenantCurrency,
      tenantMethod: found.tenantMethod,
      tenantMarkup: found.tenantMarkup,
      tenantEntryId: found.tenantEntryId,
    });
  const billedSeconds = record.billedSeconds ?? found.billedSeconds;
  return { ...carrier, ...charge, ...(billedSeconds !== record.billedSeconds && { billedSeconds }) };
}

const chargeOfDay = (
  price: TenantPrice | undefined,
  day: Date,
  quantity: string,
): Prisma.UsageRecordUpdateInput =>
  price
    ? {
        tenantCharge: amountOfDay(price, day, quantity),
        tenantCurrency: price.currency,
        tenantMethod: price.method,
        tenantMarkup: price.markupPercent ?? null,
      }
    : {};

/** Without the operator's plan: what is paid to the platform is not touched. */
async function routeOf(
  db: Ctx['db'],
  book: BatchedPrices,
  record: Lacking,
  consumerId: number,
): Promise<RoutePrices | undefined> {
  const { tenantPlanId, sipTrunkId, direction, channelType, trunkOwner, deckId } = record;
  if (record.kind !== 'CALL' || direction === null || channelType === null) {
    const plans = await plansOf(db, book, { accountPlanId: null, tenantPlanId });
    return { trunkId: null, ...(await pricesWithoutNumber(plans, factsOf(record))) };
  }
  const owner = trunkOwner === 'CONSUMER' ? consumerId : null;
  const pricing = await choosePrices(
    db,
    book,
    {
      direction,
      channelType,
      number: record.pricedNumber,
      // Without an owner, the trunk was deleted before the call ended.
      trunks:
        sipTrunkId === null || trunkOwner === null ? [] : [{ id: sipTrunkId, consumerId: owner, deckId }],
      accountPlanId: null,
      tenantPlanId,
    },
    record.startedAt,
  );
  return pricing.routes[0];
}

const factsOf = ({ kind, direction, channelType, trunkOwner }: Lacking): UsageFacts => ({
  kind,
  direction,
  channelType,
  trunkOwner,
});

/** A markup without a deck is on the cost that the record has already, not on what it would be now. Null: it has none, or the price is no such markup. */
async function markupOnCost(
  db: Ctx['db'],
  book: BatchedPrices,
  record: Lacking,
): Promise<Prisma.UsageRecordUpdateInput | null> {
  const { tenantPlanId, platformCost, platformCurrency, carrierCost, carrierCurrency } = record;
  const [cost, currency] =
    carrierCost === null ? [platformCost, platformCurrency] : [carrierCost, carrierCurrency];
  if (tenantPlanId === null || cost === null) return null;
  const plan = await book.plan(db, tenantPlanId);
  const item = plan && itemFor(plan.items, factsOf(record));
  if (item?.method !== 'DECK_MARKUP' || item.deckId !== null || item.markupPercent === null) return null;
  if (plan?.currency !== currency) return {};
  return {
    tenantCharge: amountOf(markedUp(millionthsOf(cost), item.markupPercent)),
    tenantCurrency: currency,
    tenantMethod: item.method,
    tenantMarkup: amountOf(item.markupPercent),
  };
}
