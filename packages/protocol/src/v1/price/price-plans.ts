/** Price plans: what a consumer charges its tenants. */
import { z } from 'zod';
import { callDirections, channelTypes } from '../../enums.ts';
import { defineEndpoint } from '../endpoint.ts';
import {
  id,
  integer,
  MAX_INTEGER,
  optional,
  orDefault,
  orNull,
  required,
  text,
  timestamp,
  enumField,
} from '../fields/fields.ts';
import { amount, amountText, currency, currencyCode, DEFAULT_CURRENCY } from '../fields/money.ts';
import { trunkOwners, usageKinds } from '../report/usage.ts';

export const priceMethods = ['FLAT', 'DECK', 'DECK_MARKUP'] as const;

const PLAN_NAME_MAX_CHARS = 128;
const DESCRIPTION_MAX_CHARS = 500;
const MAX_ITEMS = 50;
const BLOCK_SECONDS = { min: 1, max: 3600, default: 60 };
/** −100 is free of charge; the maximum only catches typing errors. */
const MARKUP_PERCENT = { min: -100, max: 100_000 };

const item = z
  .object({
    kind: required(enumField(usageKinds)).describe(
      'What the item prices: CALL and RECORDING per minute, STORAGE per GB and month, MONTHLY_FEE, SEAT and NUMBER per month.',
    ),
    method: required(enumField(priceMethods)).describe(
      'FLAT: flat_rate. DECK: the price of the number in a rate deck, for CALL only. DECK_MARKUP: that price, or without deck_id what the usage costs you, with markup_percent added.',
    ),
    direction: orNull(enumField(callDirections)).describe('Only for calls in this direction; null: any.'),
    channel: orNull(enumField(channelTypes)).describe('Only for channels of this type; null: any.'),
    trunk_owner: orNull(enumField(trunkOwners)).describe(
      'Only for calls over a platform trunk (PLATFORM) or one of your own (CONSUMER); null: any.',
    ),
    initial_seconds: orDefault(integer(BLOCK_SECONDS.min, BLOCK_SECONDS.max), BLOCK_SECONDS.default),
    increment_seconds: orDefault(integer(BLOCK_SECONDS.min, BLOCK_SECONDS.max), BLOCK_SECONDS.default),
    flat_rate: orNull(amount({ min: 0 })).describe('The price per unit. Required for FLAT.'),
    deck_id: orNull(integer(1, MAX_INTEGER)).describe(
      "One of your rate decks, in the plan's currency. Required for DECK, optional for DECK_MARKUP on CALL.",
    ),
    markup_percent: orNull(amount(MARKUP_PERCENT)).describe(
      'Required for DECK_MARKUP: from -100, which is free of charge, with at most 6 decimals.',
    ),
  })
  .check(({ value, issues }) => {
    const addIssue = (field: string, message: string) =>
      issues.push({ code: 'custom', message, path: [field], input: value });
    const { kind, method, flat_rate, deck_id, markup_percent } = value;
    if (method === 'DECK' && kind !== 'CALL') addIssue('method', 'can be DECK only if kind is CALL');
    if (method === 'FLAT' && flat_rate === null) addIssue('flat_rate', 'is required if method is FLAT');
    if (method !== 'FLAT' && flat_rate !== null) addIssue('flat_rate', 'is allowed only if method is FLAT');
    if (method === 'DECK' && deck_id === null) addIssue('deck_id', 'is required if method is DECK');
    if (deck_id !== null && (method === 'FLAT' || kind !== 'CALL'))
      addIssue('deck_id', 'is allowed only if kind is CALL and method is DECK or DECK_MARKUP');
    if (method === 'DECK_MARKUP' && markup_percent === null)
      addIssue('markup_percent', 'is required if method is DECK_MARKUP');
    if (method !== 'DECK_MARKUP' && markup_percent !== null)
      addIssue('markup_percent', 'is allowed only if method is DECK_MARKUP');
  })
  .transform((body) => ({
    kind: body.kind,
    method: body.method,
    direction: body.direction,
    channel: body.channel,
    trunkOwner: body.trunk_owner,
    initialSeconds: body.initial_seconds,
    incrementSeconds: body.increment_seconds,
    flatRate: body.flat_rate,
    deckId: body.deck_id,
    markupPercent: body.markup_percent,
  }));

export const pricePlanBody = z
  .object({
    name: required(text(PLAN_NAME_MAX_CHARS)),
    currency: orDefault(currency, DEFAULT_CURRENCY),
    description: orNull(text(DESCRIPTION_MAX_CHARS)),
    items: optional(z.array(item).max(MAX_ITEMS)).describe(
      'At most 50. If omitted, the plan has no items, and its tenants are not charged.',
    ),
  })
  .transform((body) => ({ ...body, items: body.items ?? [] }));
export type PutPricePlan = z.output<typeof pricePlanBody>;
export type PutPriceItem = PutPricePlan['items'][number];

/** Null removes the tenant from its plan. */
export const putTenantPricePlanBody = z
  .object({ price_plan_id: orNull(integer(1, MAX_INTEGER)) })
  .transform(({ price_plan_id }) => ({ pricePlanId: price_plan_id }));
export type PutTenantPricePlan = z.output<typeof putTenantPricePlanBody>;

const priceItemResource = z.strictObject({
  kind: z.enum(usageKinds),
  method: z.enum(priceMethods),
  /** Null: any. */
  direction: z.enum(callDirections).nullable(),
  channel: z.enum(channelTypes).nullable(),
  trunkOwner: z.enum(trunkOwners).nullable(),
  initialSeconds: z.number().int(),
  incrementSeconds: z.number().int(),
  flatRate: amountText.nullable(),
  deckId: id.nullable(),
  markupPercent: amountText.nullable(),
});
export const pricePlanResource = z
  .strictObject({
    id,
    name: z.string(),
    currency: currencyCode,
    description: z.string().nullable(),
    items: z.array(priceItemResource),
    /** The number of tenants on this plan. */
    tenants: z.number().int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'PricePlan' });
export type PricePlanResource = z.infer<typeof pricePlanResource>;
export type PriceItemResource = z.infer<typeof priceItemResource>;

const anyCall = {
  direction: null,
  channel: null,
  trunkOwner: null,
  initialSeconds: 60,
  incrementSeconds: 60,
};
const example = {
  id: 5,
  name: 'Standard',
  currency: 'USD',
  description: null,
  items: [
    {
      ...anyCall,
      kind: 'CALL',
      method: 'DECK',
      direction: 'OUTBOUND',
      channel: 'SIP',
      flatRate: null,
      deckId: 20,
      markupPercent: null,
    },
    {
      ...anyCall,
      kind: 'CALL',
      method: 'DECK_MARKUP',
      flatRate: null,
      deckId: null,
      markupPercent: '12.5',
    },
    { ...anyCall, kind: 'SEAT', method: 'FLAT', flatRate: '9.5', deckId: null, markupPercent: null },
  ],
  tenants: 3,
  createdAt: '2026-01-05T09:00:00.000Z',
  updatedAt: '2026-01-05T09:00:00.000Z',
};
const bodyExample = {
  name: 'Standard',
  items: [
    { kind: 'CALL', method: 'DECK', direction: 'OUTBOUND', channel: 'SIP', deck_id: 20 },
    { kind: 'CALL', method: 'DECK_MARKUP', markup_percent: '12.5' },
    { kind: 'SEAT', method: 'FLAT', flat_rate: '9.50' },
  ],
};
const one = z.strictObject({ plan: pricePlanResource });
const path = '/v1/price-plans/{planId}';
const pathExample = { planId: 5 };

export const pricePlanEndpoints = {
  listPricePlans: defineEndpoint({
    method: 'GET',
    path: '/v1/price-plans',
    summary: 'Lists all price plans, oldest first.',
    answer: { status: 200, body: z.strictObject({ plans: z.array(pricePlanResource) }) },
    errors: [],
    role: 'own',
    oneTenantSession: false,
    example: { answer: { plans: [example] } },
  }),
  createPricePlan: defineEndpoint({
    method: 'POST',
    path: '/v1/price-plans',
    summary:
      'Creates a price plan, which defines what its tenants pay. The price of each item is a flat rate, taken from a rate deck, or a rate deck with a markup.',
    body: pricePlanBody,
    answer: { status: 201, body: one },
    errors: ['idempotency_key_in_use', 'idempotency_key_reused'],
    role: 'own',
    oneTenantSession: false,
    example: { body: bodyExample, answer: { plan: { ...example, tenants: 0 } } },
  }),
  getPricePlan: defineEndpoint({
    method: 'GET',
    path,
    summary: 'Returns a price plan.',
    answer: { status: 200, body: one },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: false,
    example: { path: pathExample, answer: { plan: example } },
  }),
  putPricePlan: defineEndpoint({
    method: 'PUT',
    path,
    summary:
      'Replaces a price plan with its items; omitted items are removed. The currency cannot be changed while a tenant uses the plan. Existing charges are not changed.',
    body: pricePlanBody,
    answer: { status: 200, body: one },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: false,
    example: { path: pathExample, body: bodyExample, answer: { plan: example } },
  }),
  deletePricePlan: defineEndpoint({
    method: 'DELETE',
    path,
    summary: 'Deletes a price plan that no tenant uses.',
    answer: { status: 204 },
    errors: ['not_found', 'in_use'],
    role: 'own',
    oneTenantSession: false,
    example: { path: pathExample },
  }),
  putTenantPricePlan: defineEndpoint({
    method: 'PUT',
    path: '/v1/tenants/{tenantRef}/price-plan',
    summary:
      "Assigns a price plan to a tenant. Null removes the tenant from its plan. The plan must be in the currency of the tenant's billing account, if it has one.",
    body: putTenantPricePlanBody,
    answer: { status: 200, body: z.strictObject({ tenantRef: z.string(), pricePlanId: id.nullable() }) },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: false,
    example: {
      path: { tenantRef: 'acme' },
      body: { price_plan_id: 5 },
      answer: { tenantRef: 'acme', pricePlanId: 5 },
    },
  }),
};
