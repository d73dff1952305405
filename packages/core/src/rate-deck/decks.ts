/** Creates, replaces and deletes rate decks. */
import { inUse, invalidField } from '@clarion/protocol';
import type { CreateRateDeck, PutRateDeck, RateDeckResource } from '@clarion/protocol/v1/price/rate-decks';
import { audit, inTransaction } from '../context.ts';
import type { DeckCtx } from './deck-of.ts';
import { lockDeckAndUse, ownerIdOf } from './deck-of.ts';
import { usersOfDeck } from './deck-usage.ts';
import { presentDeck } from './present.ts';

/** Names need not be unique: a deck is addressed by its ID. */
export async function createRateDeck(ctx: DeckCtx, input: CreateRateDeck): Promise<RateDeckResource> {
  return inTransaction(ctx, async (inner) => {
    const deck = await inner.db.rateDeck.create({ data: { ...input, consumerId: ownerIdOf(inner) } });
    await audit(inner, {
      action: 'rate_deck.create',
      target: String(deck.id),
      details: { name: deck.name, kind: deck.kind },
    });
    return presentDeck(deck);
  });
}

/** @throws 404; 400 `currency` while a plan or trunk uses the deck */
export async function putRateDeck(ctx: DeckCtx, id: number, input: PutRateDeck): Promise<RateDeckResource> {
  const { name, description, currency } = input;
  return inTransaction(ctx, async (inner) => {
    const before = await lockDeckAndUse(inner, id);
    if (currency !== null && currency !== before.currency && (await usersOfDeck(inner, id)).length > 0) {
      const message = `currency cannot be changed from ${before.currency} while a price plan or trunk uses the rate deck.`;
      throw invalidField('currency', message);
    }
    const data = { name, description, currency: currency ?? before.currency };
    const deck = await inner.db.rateDeck.update({ where: { id }, data });
    await audit(inner, { action: 'rate_deck.put', target: String(id), details: { name } });
    return presentDeck(deck);
  });
}

/** @throws 404; 409 in_use naming plans and trunks */
export async function deleteRateDeck(ctx: DeckCtx, id: number): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const { name } = await lockDeckAndUse(inner, id);
    const usedBy = await usersOfDeck(inner, id);
    if (usedBy.length > 0) throw inUse(usedBy);
    await inner.db.rateDeck.delete({ where: { id } });
    await audit(inner, { action: 'rate_deck.delete', target: String(id), details: { name } });
  });
}

/** Oldest first. */
export async function listRateDecks(ctx: DeckCtx): Promise<RateDeckResource[]> {
  const decks = await ctx.db.rateDeck.findMany({
    where: { consumerId: ownerIdOf(ctx) },
    orderBy: { id: 'asc' },
  });
  return decks.map(presentDeck);
}
