/** Finds rate decks and entries of the account, or without one of the operator. */
import { notFound } from '@clarion/protocol';
import type { Consumer, RateDeck, RateEntry } from '@clarion/db';
import type { Ctx } from '../context.ts';

/** The context of every verb about rate decks. `consumer` null: the operator's decks, for its price plans. */
export type DeckCtx = Omit<Ctx, 'consumer'> & { consumer: Pick<Consumer, 'id'> | null };

export const ownerIdOf = ({ consumer }: DeckCtx): number | null => consumer?.id ?? null;

/** @throws 404 */
export async function deckOf(ctx: DeckCtx, id: number): Promise<RateDeck> {
  const deck = await ctx.db.rateDeck.findFirst({ where: { id, consumerId: ownerIdOf(ctx) } });
  if (!deck) throw notFound('The rate deck');
  return deck;
}

/**
 * The deck, locked until the transaction ends: changes of its prices happen one after the other. Plans and trunks can be given the deck
 * meanwhile.
 */
export async function lockDeck(ctx: DeckCtx, id: number): Promise<RateDeck> {
  await ctx.db.$queryRaw`
    select 1 from "RateDeck" where "id" = ${id} and coalesce("consumerId", 0) = ${ownerIdOf(ctx) ?? 0} for no key update`;
  return deckOf(ctx, id);
}

/** The same, also against plans and trunks that are about to use the deck: they lock it with `for key share`. */
export async function lockDeckAndUse(ctx: DeckCtx, id: number): Promise<RateDeck> {
  await ctx.db.$queryRaw`
    select 1 from "RateDeck" where "id" = ${id} and coalesce("consumerId", 0) = ${ownerIdOf(ctx) ?? 0} for update`;
  return deckOf(ctx, id);
}

/** @throws 404 */
export async function entryOf({ db }: DeckCtx, deck: RateDeck, id: number): Promise<RateEntry> {
  const entry = await db.rateEntry.findFirst({ where: { id, deckId: deck.id } });
  if (!entry) throw notFound('The rate entry');
  return entry;
}
