/** Finds rate decks and entries of the account. */
import { notFound } from '@clarion/protocol';
import type { RateDeck, RateEntry } from '@clarion/db';
import type { Ctx } from '../context.ts';

/** @throws 404 */
export async function deckOf({ db, consumer }: Ctx, id: number): Promise<RateDeck> {
  const deck = await db.rateDeck.findFirst({ where: { id, consumerId: consumer.id } });
  if (!deck) throw notFound('The rate deck');
  return deck;
}

/**
 * The deck, locked until the transaction ends: changes of its prices happen one after the other. Plans and trunks can be given the deck
 * meanwhile.
 */
export async function lockDeck(ctx: Ctx, id: number): Promise<RateDeck> {
  await ctx.db.$queryRaw`
    select 1 from "RateDeck" where "id" = ${id} and "consumerId" = ${ctx.consumer.id} for no key update`;
  return deckOf(ctx, id);
}

/** The same, also against plans and trunks that are about to use the deck: they lock it with `for key share`. */
export async function lockDeckAndUse(ctx: Ctx, id: number): Promise<RateDeck> {
  await ctx.db.$queryRaw`
    select 1 from "RateDeck" where "id" = ${id} and "consumerId" = ${ctx.consumer.id} for update`;
  return deckOf(ctx, id);
}

/** @throws 404 */
export async function entryOf({ db }: Ctx, deck: RateDeck, id: number): Promise<RateEntry> {
  const entry = await db.rateEntry.findFirst({ where: { id, deckId: deck.id } });
  if (!entry) throw notFound('The rate entry');
  return entry;
}
