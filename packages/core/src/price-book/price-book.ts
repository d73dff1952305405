/** Where the prices of calls are looked up: price plans, and entries of rate decks by number. */
import type { Tx } from '@clarion/db';
import type { MinutePrice } from '../rating/charge.ts';
import type { PricePlan } from '../rating/price-item.ts';

export interface DeckPrice extends MinutePrice {
  entryId: number;
  /** Of the deck. */
  currency: string;
}

/** `tx` reads what is not in memory, so that a caller with an open transaction needs no second connection. */
export interface PriceBook {
  /** Null: no such plan. */
  plan(tx: Tx, planId: number): Promise<PricePlan | null>;
  /** The entry with the longest prefix of `digits` that was in force at `at`. Null: none. */
  price(tx: Tx, deckId: number, digits: string, at: Date): Promise<DeckPrice | null>;
}
