/** The rate decks of a consumer's own trunk. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id, integer, MAX_INTEGER, orNull } from '../fields/fields.ts';

/** Sets both; an omitted one is cleared. */
export const putTrunkRateDecksBody = z
  .object({
    buy_deck_id: orNull(integer(1, MAX_INTEGER)),
    inbound_buy_deck_id: orNull(integer(1, MAX_INTEGER)),
  })
  .transform((body) => ({ buyDeckId: body.buy_deck_id, inboundBuyDeckId: body.inbound_buy_deck_id }));
export type PutTrunkRateDecks = z.output<typeof putTrunkRateDecksBody>;

export const trunkRateDeckEndpoints = {
  putTrunkRateDecks: defineEndpoint({
    method: 'PUT',
    path: '/v1/sip-trunks/{trunkId}/rate-decks',
    summary:
      'Sets the BUY rate decks for the outbound and inbound calls of one of your own trunks. An omitted deck is cleared.',
    body: putTrunkRateDecksBody,
    answer: {
      status: 200,
      body: z.strictObject({ trunkId: id, buyDeckId: id.nullable(), inboundBuyDeckId: id.nullable() }),
    },
    errors: ['not_found'],
    role: 'provision',
    oneTenantSession: false,
    example: {
      path: { trunkId: 7 },
      body: { buy_deck_id: 21, inbound_buy_deck_id: null },
      answer: { trunkId: 7, buyDeckId: 21, inboundBuyDeckId: null },
    },
  }),
};
