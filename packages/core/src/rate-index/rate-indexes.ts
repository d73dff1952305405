/**
 * The prices of rate decks, found in memory. The index of a deck is built in the background when the deck is first used, and again after its
 * prices have changed. Whenever there is no index that is certain to be right, the answer comes from the database; no look-up waits for
 * an index.
 */
import type { Database } from '@clarion/db';
import type { DeckIndex, IndexedPrice } from '../rating/deck-index.ts';
import { findRate } from './find-rate.ts';
import { loadIndex } from './load-index.ts';

/** Indexes of one process together; those that were not used for the longest time are dropped first. About 3 million entries. */
const MAX_BYTES = 64 * 1024 * 1024;
/** A deck whose prices keep changing is read again at most this often. */
const REBUILD_EVERY_MS = 10_000;
const UNUSED_MS = 60 * 60_000;
const DROP_UNUSED_EVERY_MS = 5 * 60_000;

export interface RateIndexesOptions {
  /** Whether notifications of changes are being received: `Listener.isCurrent`. */
  isCurrent: () => boolean;
  now?: () => Date;
  onBuilt?: (built: { deckId: number; rows: number; bytes: number; ms: number }) => void;
  /** A build failed; it is tried again when the deck is next used. */
  onError?: (error: unknown, deckId: number) => void;
  maxBytes?: number;
  rebuildEveryMs?: number;
}

interface Deck {
  /** `since`: the index has what is in force at this time and later. */
  current: { index: DeckIndex; since: Date } | null;
  /** Increased when the prices have changed: a build that began before is discarded. */
  generation: number;
  /** The prices exceed `maxBytes`. */
  isTooLarge: boolean;
  buildBeganAt: number;
  usedAt: number;
}

export class RateIndexes {
  readonly #db: Database;
  readonly #options: Required<Omit<RateIndexesOptions, 'onBuilt' | 'onError'>> & RateIndexesOptions;
  readonly #decks = new Map<number, Deck>();
  readonly #drop: NodeJS.Timeout;
  /** One at a time, because each takes a connection. */
  #build: Promise<void> | null = null;
  #isClosed = false;

  constructor(db: Database, options: RateIndexesOptions) {
    this.#db = db;
    this.#options = {
      now: () => new Date(),
      maxBytes: MAX_BYTES,
      rebuildEveryMs: REBUILD_EVERY_MS,
      ...options,
    };
    this.#drop = setInterval(() => this.dropUnused(), DROP_UNUSED_EVERY_MS);
    this.#drop.unref();
  }

  /** What all indexes occupy. */
  get bytes(): number {
    return [...this.#decks.values()].reduce((sum, { current }) => sum + (current?.index.bytes ?? 0), 0);
  }

  /**
   * The entry with the longest prefix of `digits` among those in force at a time. A change of the prices is seen at most a second after its
   * commit. Uses a connection of its own, so do not call it inside a transaction.
   */
  async find(deckId: number, digits: string, at: Date): Promise<IndexedPrice | null> {
    const known = this.fromMemory(deckId, digits, at);
    if (known !== undefined) return known;
    const found = await findRate(this.#db, deckId, digits, at);
    if (!found) return null;
    const { currency: _, ...price } = found;
    return price;
  }

  /** The same without the database. Undefined: only the database knows; the index is being built. */
  fromMemory(deckId: number, digits: string, at: Date): IndexedPrice | null | undefined {
    const deck = this.#deckOf(deckId);
    deck.usedAt = this.#options.now().getTime();
    if (!this.#options.isCurrent()) return undefined;
    const { current } = deck;
    if (!current) this.#beginBuild(deckId, deck);
    return current && at >= current.since ? current.index.find(digits, at.getTime()) : undefined;
  }

  /** The prices of the deck have changed. */
  forget(deckId: number): void {
    const deck = this.#decks.get(deckId);
    if (deck) forget(deck);
  }

  /** Changes may have been missed. */
  forgetAll(): void {
    for (const deck of this.#decks.values()) forget(deck);
  }

  dropUnused(): void {
    const before = this.#options.now().getTime() - UNUSED_MS;
    for (const [deckId, deck] of this.#decks) {
      if (deck.usedAt > before) continue;
      forget(deck);
      this.#decks.delete(deckId);
    }
  }

  /** Resolves when no build runs any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#drop);
    this.forgetAll();
    await this.#build;
  }

  #deckOf(deckId: number): Deck {
    const known = this.#decks.get(deckId);
    if (known) return known;
    const deck: Deck = {
      current: null,
      generation: 0,
      isTooLarge: false,
      buildBeganAt: -Infinity,
      usedAt: 0,
    };
    this.#decks.set(deckId, deck);
    return deck;
  }

  #beginBuild(deckId: number, deck: Deck): void {
    const now = this.#options.now();
    const isDue = now.getTime() - deck.buildBeganAt >= this.#options.rebuildEveryMs;
    if (this.#isClosed || this.#build || deck.isTooLarge || !isDue) return;
    deck.buildBeganAt = now.getTime();
    this.#build = this.#buildIndex(deckId, deck, now)
      .catch((error: unknown) => this.#options.onError?.(error, deckId))
      .finally(() => {
        this.#build = null;
      });
  }

  async #buildIndex(deckId: number, deck: Deck, since: Date): Promise<void> {
    const { generation } = deck;
    const { maxBytes, onBuilt } = this.#options;
    const beganAt = performance.now();
    const index = await loadIndex(this.#db, {
      deckId,
      since,
      goOn({ bytes }) {
        const isLatest = deck.generation === generation;
        if (isLatest && bytes > maxBytes) deck.isTooLarge = true;
        return isLatest && bytes <= maxBytes;
      },
    });
    if (!index || deck.generation !== generation) return;
    deck.current = { index, since };
    this.#makeRoom(deck);
    onBuilt?.({ deckId, rows: index.rows, bytes: index.bytes, ms: performance.now() - beganAt });
  }

  #makeRoom(newest: Deck): void {
    const others = [...this.#decks.values()].filter((deck) => deck !== newest && deck.current);
    for (const deck of others.toSorted((a, b) => a.usedAt - b.usedAt)) {
      if (this.bytes <= this.#options.maxBytes) return;
      deck.current = null;
    }
  }
}

function forget(deck: Deck): void {
  deck.current = null;
  deck.generation += 1;
  deck.isTooLarge = false;
}
