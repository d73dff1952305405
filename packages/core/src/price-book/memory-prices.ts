/**
 * The price book of a process that prices calls: plans, the currencies of decks and the indexes of their entries in memory, so that a call
 * that begins costs no statement. Notifications of the database evict what has changed.
 */
import type { Database, Tx } from '@clarion/db';
import { findRate } from '../rate-index/find-rate.ts';
import { RateIndexes } from '../rate-index/rate-indexes.ts';
import type { RateIndexesOptions } from '../rate-index/rate-indexes.ts';
import type { PricePlan } from '../rating/price-item.ts';
import type { DeckPrice, PriceBook } from './price-book.ts';
import { readPlan } from './read-prices.ts';

/** Plans and decks in memory; more than that many are in use in no installation that we know. */
const MAX_KEPT = 10_000;

export class MemoryPrices implements PriceBook {
  readonly #indexes: RateIndexes;
  readonly #plans: Kept<PricePlan | null>;
  readonly #currencies: Kept<string | null>;

  /** `isCurrent`: whether notifications are being received; otherwise prices are read. */
  constructor(db: Database, options: RateIndexesOptions) {
    this.#indexes = new RateIndexes(db, options);
    this.#plans = new Kept(options.isCurrent);
    this.#currencies = new Kept(options.isCurrent);
  }

  plan(tx: Tx, planId: number): Promise<PricePlan | null> {
    return this.#plans.get(planId, () => readPlan(tx, planId));
  }

  async price(tx: Tx, deckId: number, digits: string, at: Date): Promise<DeckPrice | null> {
    const found = this.#indexes.fromMemory(deckId, digits, at);
    if (found === undefined) return findRate(tx, deckId, digits, at);
    if (found === null) return null;
    const currency = await this.#currencies.get(deckId, () => currencyOf(tx, deckId));
    return currency === null ? null : { ...found, currency };
  }

  /** `clarion_price_plan` */
  forgetPlan(planId: number): void {
    this.#plans.forget(planId);
  }

  /** `clarion_rates` */
  forgetDeck(deckId: number): void {
    this.#indexes.forget(deckId);
    this.#currencies.forget(deckId);
  }

  /** Notifications may have been missed. */
  forgetAll(): void {
    this.#indexes.forgetAll();
    this.#plans.forgetAll();
    this.#currencies.forgetAll();
  }

  close(): Promise<void> {
    return this.#indexes.close();
  }
}

async function currencyOf(tx: Tx, deckId: number): Promise<string | null> {
  const deck = await tx.rateDeck.findUnique({ where: { id: deckId }, select: { currency: true } });
  return deck?.currency ?? null;
}

/**
 * Values by ID. Each caller loads in its own transaction: a load that others wait for would fail with the transaction of the first, and one
 * on another connection could wait for one that the callers hold.
 */
class Kept<T> {
  readonly #isCurrent: () => boolean;
  readonly #values = new Map<number, T>();
  /** Increased when something was forgotten: a value whose load began before is not kept. */
  #generation = 0;

  constructor(isCurrent: () => boolean) {
    this.#isCurrent = isCurrent;
  }

  async get(id: number, load: () => Promise<T>): Promise<T> {
    const kept = this.#isCurrent() ? this.#values.get(id) : undefined;
    if (kept !== undefined) return kept;
    const generation = this.#generation;
    const value = await load();
    if (generation === this.#generation && this.#isCurrent()) {
      if (this.#values.size >= MAX_KEPT) this.#values.clear();
      this.#values.set(id, value);
    }
    return value;
  }

  forget(id: number): void {
    this.#generation += 1;
    this.#values.delete(id);
  }

  forgetAll(): void {
    this.#generation += 1;
    this.#values.clear();
  }
}
