/** Rate decks: selling or buying prices by number prefix (docs/requirements.md#prices). */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id, optional, orDefault, orNull, required, text, timestamp, enumField } from '../fields/fields.ts';
import { amountText, currency, currencyCode, DEFAULT_CURRENCY } from '../fields/money.ts';
import { rateImportResource } from './rate-import-resources.ts';

/** SELL: the consumer's prices for its price plans. BUY: a carrier's prices, for own trunks and price plans. */
export const rateDeckKinds = ['SELL', 'BUY'] as const;
const DECK_NAME_MAX_CHARS = 128;
const DESCRIPTION_MAX_CHARS = 500;
/** The most recent imports (docs/requirements.md#limits). */
export const SHOWN_IMPORTS = 50;

const name = required(text(DECK_NAME_MAX_CHARS));
const description = orNull(text(DESCRIPTION_MAX_CHARS));
export const createRateDeckBody = z.object({
  name,
  currency: orDefault(currency, DEFAULT_CURRENCY),
  kind: orDefault(enumField(rateDeckKinds), 'SELL').describe(
    'SELL: your prices, for price plans. BUY: the prices of a carrier, for your own trunks and for price plans.',
  ),
  description,
});
export type CreateRateDeck = z.output<typeof createRateDeckBody>;
export const putRateDeckBody = z
  .object({ name, currency: optional(currency), description })
  // If the currency is omitted, it is kept.
  .transform((body) => ({ ...body, currency: body.currency ?? null }));
export type PutRateDeck = z.output<typeof putRateDeckBody>;

export const rateDeckResource = z
  .strictObject({
    id,
    name: z.string(),
    currency: currencyCode,
    kind: z.enum(rateDeckKinds),
    description: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'RateDeck' });
export type RateDeckResource = z.infer<typeof rateDeckResource>;
export const rateDeckStats = z
  .strictObject({
    rowsInForce: z.number().int(),
    destinations: z.number().int(),
    /** Per minute, of the entries in force; null if there are none. */
    minRate: amountText.nullable(),
    maxRate: amountText.nullable(),
    avgRate: amountText.nullable(),
    /** Entries that take effect later. */
    scheduled: z.number().int(),
    nextChange: timestamp.nullable(),
  })
  .meta({ id: 'RateDeckStats' });
export type RateDeckStats = z.infer<typeof rateDeckStats>;
export const rateDeckUsage = z
  .strictObject({
    trunks: z.array(z.strictObject({ id, name: z.string(), outbound: z.boolean(), inbound: z.boolean() })),
    plans: z.array(z.strictObject({ id, name: z.string() })),
  })
  .meta({ id: 'RateDeckUsage' });
export type RateDeckUsage = z.infer<typeof rateDeckUsage>;

const rateDeckDetail = z.strictObject({
  deck: rateDeckResource,
  stats: rateDeckStats,
  usage: rateDeckUsage,
  imports: z.array(rateImportResource).max(SHOWN_IMPORTS),
});
export type RateDeckDetail = z.infer<typeof rateDeckDetail>;

const example = {
  id: 20,
  name: 'Retail 2026',
  currency: 'USD',
  kind: 'SELL',
  description: null,
  createdAt: '2026-01-05T09:00:00.000Z',
  updatedAt: '2026-01-05T09:00:00.000Z',
};
const one = z.strictObject({ deck: rateDeckResource });
const path = '/v1/rate-decks/{deckId}';
const pathExample = { deckId: 20 };

export const rateDeckEndpoints = {
  listRateDecks: defineEndpoint({
    method: 'GET',
    path: '/v1/rate-decks',
    summary: 'Lists all rate decks, oldest first.',
    answer: { status: 200, body: z.strictObject({ decks: z.array(rateDeckResource) }) },
    errors: [],
    role: 'own',
    oneTenantSession: false,
    example: { answer: { decks: [example] } },
  }),
  createRateDeck: defineEndpoint({
    method: 'POST',
    path: '/v1/rate-decks',
    summary: 'Creates an empty rate deck: SELL for use in price plans, BUY for the prices of a carrier.',
    body: createRateDeckBody,
    answer: { status: 201, body: one },
    errors: ['idempotency_key_in_use', 'idempotency_key_reused'],
    role: 'own',
    oneTenantSession: false,
    example: { body: { name: 'Retail 2026', currency: 'USD', kind: 'SELL' }, answer: { deck: example } },
  }),
  getRateDeck: defineEndpoint({
    method: 'GET',
    path,
    summary:
      'Returns a rate deck with its statistics, the plans and trunks that use it, and its last 50 imports and edits.',
    answer: {
      status: 200,
      body: rateDeckDetail,
    },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: false,
    example: {
      path: pathExample,
      answer: {
        deck: example,
        stats: {
          rowsInForce: 2,
          destinations: 2,
          minRate: '0.012',
          maxRate: '0.19',
          avgRate: '0.101',
          scheduled: 1,
          nextChange: '2026-02-01T00:00:00.000Z',
        },
        usage: { trunks: [], plans: [{ id: 5, name: 'Standard' }] },
        imports: [
          {
            id: 31,
            kind: 'EDIT',
            mode: null,
            fileName: null,
            note: 'Prefix 4420 now costs 0.012.',
            rows: 1,
            added: 0,
            changed: 1,
            ended: 0,
            unchanged: 0,
            skipped: 0,
            createdAt: '2026-01-06T10:00:00.000Z',
          },
        ],
      },
    },
  }),
  putRateDeck: defineEndpoint({
    method: 'PUT',
    path,
    summary:
      'Replaces the name and description of a rate deck. The currency is kept if omitted, and cannot be changed while a price plan or trunk uses the deck. The kind cannot be changed.',
    body: putRateDeckBody,
    answer: { status: 200, body: one },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: false,
    example: { path: pathExample, body: { name: 'Retail 2026' }, answer: { deck: example } },
  }),
  deleteRateDeck: defineEndpoint({
    method: 'DELETE',
    path,
    summary: 'Deletes a rate deck that no price plan or trunk uses.',
    answer: { status: 204 },
    errors: ['not_found', 'in_use'],
    role: 'own',
    oneTenantSession: false,
    example: { path: pathExample },
  }),
};
