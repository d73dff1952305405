/** The price of a number by one query: what an index answers, from the database. */
import type { Database, Tx } from '@clarion/db';
import type { IndexedPrice } from '../rating/deck-index.ts';
import { millionthsOf } from '../rating/millionths.ts';
import { prefixesOf } from '../rating/prefixes.ts';

interface RateRow {
  entryId: number;
  prefix: string;
  currency: string;
  rate: string;
  connectionFee: string;
  initialSeconds: number;
  incrementSeconds: number;
}

export interface FoundRate extends IndexedPrice {
  /** Of the deck. */
  currency: string;
}

/** The entry with the longest prefix of `digits` among those in force at a time. */
export async function findRate(
  db: Database | Tx,
  deckId: number,
  digits: string,
  at: Date,
): Promise<FoundRate | null> {
  const [row] = await db.$queryRaw<RateRow[]>`
    select e."id" as "entryId", e."prefix", d."currency", e."rate"::text, e."connectionFee"::text, e."initialSeconds", e."incrementSeconds"
    from "RateEntry" e join "RateDeck" d on d."id" = e."deckId"
    where e."deckId" = ${deckId} and e."prefix" = any(${prefixesOf(digits)}::text[])
      and e."effectiveFrom" <= ${at} and (e."effectiveTo" is null or e."effectiveTo" > ${at})
    order by length(e."prefix") desc limit 1`;
  if (!row) return null;
  const { rate, connectionFee, ...price } = row;
  return { ...price, ratePerMinute: millionthsOf(rate), connectionFee: millionthsOf(connectionFee) };
}
