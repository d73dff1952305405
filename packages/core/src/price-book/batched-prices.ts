/**
 * A price book for work on many records: look-ups that are made at once become one query, and each plan is read once. A price that was not
 * in force at the time of a record is the one of now (docs/requirements.md#prices).
 */
import type { Tx } from '@clarion/db';
import { millionthsOf } from '../rating/millionths.ts';
import { prefixesOf } from '../rating/prefixes.ts';
import type { PricePlan } from '../rating/price-item.ts';
import type { DeckPrice, PriceBook } from './price-book.ts';
import { readPlan } from './read-prices.ts';

interface Lookup {
  deckId: number;
  digits: string;
  at: Date;
  resolve: (price: DeckPrice | null) => void;
  reject: (error: unknown) => void;
}

interface FoundRow {
  index: number;
  entryId: number;
  currency: string;
  rate: string;
  connectionFee: string;
  initialSeconds: number;
  incrementSeconds: number;
}

/** For one task: plans are not read again. */
export class BatchedPrices implements PriceBook {
  readonly #now: Date;
  readonly #plans = new Map<number, Promise<PricePlan | null>>();
  #waiting: Lookup[] = [];

  constructor(now: Date) {
    this.#now = now;
  }

  plan(tx: Tx, planId: number): Promise<PricePlan | null> {
    const known = this.#plans.get(planId) ?? readPlan(tx, planId);
    this.#plans.set(planId, known);
    return known;
  }

  price(tx: Tx, deckId: number, digits: string, at: Date): Promise<DeckPrice | null> {
    if (this.#waiting.length === 0) setImmediate(() => void this.#lookUp(tx));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ deckId, digits, at, resolve, reject });
    });
  }

  async #lookUp(tx: Tx): Promise<void> {
    const lookups = this.#waiting;
    this.#waiting = [];
    try {
      const rows = await readMany(tx, lookups, this.#now);
      const found = new Map(rows.map((row) => [row.index, row]));
      for (const [index, { resolve }] of lookups.entries()) resolve(priceOf(found.get(index)));
    } catch (error) {
      for (const { reject } of lookups) reject(error);
    }
  }
}

function priceOf(row: FoundRow | undefined): DeckPrice | null {
  if (!row) return null;
  const { index: _, rate, connectionFee, ...price } = row;
  return { ...price, ratePerMinute: millionthsOf(rate), connectionFee: millionthsOf(connectionFee) };
}

/** Prices that were in force then come before those that are in force now. */
const readMany = (tx: Tx, lookups: readonly Lookup[], now: Date): Promise<FoundRow[]> => {
  const wanted = lookups.map(({ deckId, digits, at }, index) => ({
    index,
    deckId,
    at,
    prefixes: prefixesOf(digits),
  }));
  return tx.$queryRaw<FoundRow[]>`
    select w."index", e."entryId", e."currency", e."rate", e."connectionFee", e."initialSeconds", e."incrementSeconds"
    from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
      as w("index" int, "deckId" int, "at" timestamptz, "prefixes" text[])
    cross join lateral (
      select r."id" as "entryId", d."currency", r."rate"::text, r."connectionFee"::text, r."initialSeconds", r."incrementSeconds"
      from (values (w."at", 1), (${now}::timestamptz, 2)) as moment("at", "rank")
      join "RateEntry" r on r."deckId" = w."deckId" and r."prefix" = any(w."prefixes")
        and r."effectiveFrom" <= moment."at" and (r."effectiveTo" is null or r."effectiveTo" > moment."at")
      join "RateDeck" d on d."id" = r."deckId"
      order by moment."rank", length(r."prefix") desc limit 1) e`;
};
