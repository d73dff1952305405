/** Sets the carrier's rate decks of an own trunk. This is a matter of prices: it needs neither self-service nor a review. */
import { invalidField } from '@clarion/protocol';
import type { PutTrunkRateDecks } from '@clarion/protocol/v1/price/trunk-rate-decks';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { lockOwnTrunk } from './self-service.ts';

/** @throws 404; 400 `buy_deck_id` or `inbound_buy_deck_id` */
export async function putTrunkRateDecks(
  ctx: Ctx,
  trunkId: number,
  input: PutTrunkRateDecks,
): Promise<{ trunkId: number; buyDeckId: number | null; inboundBuyDeckId: number | null }> {
  const { buyDeckId, inboundBuyDeckId } = input;
  return inTransaction(ctx, async (inner) => {
    await lockOwnTrunk(inner, trunkId);
    await assertBuyDeck(inner, 'buy_deck_id', buyDeckId);
    await assertBuyDeck(inner, 'inbound_buy_deck_id', inboundBuyDeckId);
    await inner.db.sipTrunk.update({ where: { id: trunkId }, data: { buyDeckId, inboundBuyDeckId } });
    await audit(inner, {
      action: 'trunk.put_rate_decks',
      target: String(trunkId),
      details: { buyDeckId, inboundBuyDeckId },
    });
    return { trunkId, buyDeckId, inboundBuyDeckId };
  });
}

/** The deck is locked against deletion until the transaction ends. */
async function assertBuyDeck({ db, consumer }: Ctx, field: string, id: number | null): Promise<void> {
  if (id === null) return;
  const decks = await db.$queryRaw<unknown[]>`
    select 1 from "RateDeck" where "id" = ${id} and "consumerId" = ${consumer.id} and "kind" = 'BUY' for key share`;
  if (decks.length === 0) throw invalidField(field, `${field} must be the ID of one of your BUY rate decks.`);
}
