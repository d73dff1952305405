/** What uses a rate deck: items of price plans, and own trunks. */
import type { RateDeckUsage } from '@clarion/protocol/v1/price/rate-decks';
import type { DeckCtx } from './deck-of.ts';

/** Of the plans, and of the trunks, that prevent a deletion. */
const NAMED_USERS = 50;

export async function usageOfDeck({ db }: DeckCtx, deckId: number, most?: number): Promise<RateDeckUsage> {
  const first = { orderBy: { id: 'asc' }, ...(most !== undefined && { take: most }) } as const;
  const trunks = await db.sipTrunk.findMany({
    ...first,
    where: { OR: [{ buyDeckId: deckId }, { inboundBuyDeckId: deckId }] },
    select: { id: true, name: true, buyDeckId: true, inboundBuyDeckId: true },
  });
  const plans = await db.pricePlan.findMany({
    ...first,
    where: { items: { some: { deckId } } },
    select: { id: true, name: true },
  });
  return {
    trunks: trunks.map(({ id, name, buyDeckId, inboundBuyDeckId }) => ({
      id,
      name,
      outbound: buyDeckId === deckId,
      inbound: inboundBuyDeckId === deckId,
    })),
    plans,
  };
}

/** The first of them, as errors name them. */
export async function usersOfDeck(ctx: DeckCtx, deckId: number): Promise<string[]> {
  const { plans, trunks } = await usageOfDeck(ctx, deckId, NAMED_USERS);
  return [...plans.map(({ id }) => `pricePlan:${id}`), ...trunks.map(({ id }) => `trunk:${id}`)];
}
