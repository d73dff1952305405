/** A price book without memory: every look-up is a query. */
import type { Prisma, PricePlan as PlanRow, PriceItem as ItemRow, Tx } from '@clarion/db';
import { millionthsOf } from '../rating/millionths.ts';
import { prefixesOf } from '../rating/prefixes.ts';
import type { PriceItem, PricePlan, TrunkOwner } from '../rating/price-item.ts';
import type { DeckPrice, PriceBook } from './price-book.ts';

export const readPrices: PriceBook = { plan: readPlan, price: readPrice };

export async function readPlan(tx: Tx, planId: number): Promise<PricePlan | null> {
  const row = await tx.pricePlan.findUnique({
    where: { id: planId },
    include: { items: { orderBy: { position: 'asc' } } },
  });
  return row && planOf(row);
}

export const planOf = ({ id, currency, items }: PlanRow & { items: ItemRow[] }): PricePlan => ({
  id,
  currency,
  items: items.map(itemOf),
});

const itemOf = (row: ItemRow): PriceItem => ({
  kind: row.kind,
  method: row.method,
  direction: row.direction,
  channelType: row.channelType,
  trunkOwner: row.trunkOwner as TrunkOwner | null,
  initialSeconds: row.initialSeconds,
  incrementSeconds: row.incrementSeconds,
  flatRate: row.flatRate && millionths(row.flatRate),
  deckId: row.deckId,
  markupPercent: row.markupPercent && millionths(row.markupPercent),
});

const millionths = (amount: Prisma.Decimal): bigint => millionthsOf(amount.toFixed());

interface EntryRow {
  entryId: number;
  currency: string;
  rate: string;
  connectionFee: string;
  initialSeconds: number;
  incrementSeconds: number;
}

/** One query: the index of prefixes is probed once for each prefix of the number. */
export async function readPrice(tx: Tx, deckId: number, digits: string, at: Date): Promise<DeckPrice | null> {
  const [row] = await tx.$queryRaw<EntryRow[]>`
    select e."id" as "entryId", d."currency", e."rate"::text, e."connectionFee"::text, e."initialSeconds", e."incrementSeconds"
    from "RateEntry" e join "RateDeck" d on d."id" = e."deckId"
    where e."deckId" = ${deckId} and e."prefix" = any(${prefixesOf(digits)}::text[])
      and e."effectiveFrom" <= ${at} and (e."effectiveTo" is null or e."effectiveTo" > ${at})
    order by length(e."prefix") desc limit 1`;
  return row ? priceOf(row) : null;
}

const priceOf = ({ rate, connectionFee, ...row }: EntryRow): DeckPrice => ({
  ...row,
  ratePerMinute: millionthsOf(rate),
  connectionFee: millionthsOf(connectionFee),
});
