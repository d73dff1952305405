/** A price book without memory: every look-up is a query. */
import type { Prisma, PricePlan as PlanRow, PriceItem as ItemRow, Tx } from '@clarion/db';
import { millionthsOf } from '../rating/millionths.ts';
import type { PriceItem, PricePlan, TrunkOwner } from '../rating/price-item.ts';
import { findRate } from '../rate-index/find-rate.ts';
import type { PriceBook } from './price-book.ts';

export const readPrices: PriceBook = { plan: readPlan, price: findRate };

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
