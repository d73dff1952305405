/** The price of a number by one statement: what an index answers, from the database. */
import type { Database } from '@clarion/db';
import { poolOf } from '@clarion/db';
import type { IndexedPrice } from '../rating/deck-index.ts';
import { millionthsOf } from '../rating/millionths.ts';
import { prefixesOf } from '../rating/prefixes.ts';

/** $1: deck, $2: prefixes of the number, $3: time. */
const FIND_RATE = {
  name: 'find-rate',
  text: `
    select "id", "prefix", "rate"::text, "connectionFee"::text as fee, "initialSeconds", "incrementSeconds"
    from "RateEntry"
    where "deckId" = $1 and "prefix" = any ($2::text[]) and "effectiveFrom" <= $3::timestamptz
      and ("effectiveTo" is null or "effectiveTo" > $3::timestamptz)
    order by length("prefix") desc limit 1`,
};

interface RateRow {
  id: number;
  prefix: string;
  rate: string;
  fee: string;
  initialSeconds: number;
  incrementSeconds: number;
}

/** The entry with the longest prefix of `digits` among those in force at a time. */
export async function findRate(
  db: Database,
  deckId: number,
  digits: string,
  at: Date,
): Promise<IndexedPrice | null> {
  const values = [deckId, prefixesOf(digits), at.toISOString()];
  const { rows } = await poolOf(db).query<RateRow>({ ...FIND_RATE, values });
  const [row] = rows;
  if (!row) return null;
  return {
    entryId: row.id,
    prefix: row.prefix,
    ratePerMinute: millionthsOf(row.rate),
    connectionFee: millionthsOf(row.fee),
    initialSeconds: row.initialSeconds,
    incrementSeconds: row.incrementSeconds,
  };
}
