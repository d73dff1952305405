/** What would happen to an outbound call: the rules, the trunks in order, and the prices. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id, ref, required, text } from '../fields/fields.ts';
import { amountText, currencyCode } from '../fields/money.ts';
import { CUSTOMER_ADDRESS_MAX_CHARS } from '../call/calls.ts';
import { trunkOwners } from '../report/usage.ts';

/** The codes with which `POST …/calls` refuses, in the order in which the rules are checked. */
export const routeRuleCodes = [
  'tenant_suspended',
  'channel_disabled',
  'unsupported_channel',
  'invalid_customer',
  'emergency_not_supported',
  'destination_blocked',
  'destination_not_allowed',
  'rate_too_high',
] as const;
export type RouteRuleCode = (typeof routeRuleCodes)[number];

export const routePreviewBody = z
  .object({
    tenant_ref: required(ref),
    channel_ref: required(ref).describe('The channel from which the call would be placed.'),
    number: required(text(CUSTOMER_ADDRESS_MAX_CHARS)).describe(
      "As in the customer's address of an outbound call.",
    ),
  })
  .transform((body) => ({
    tenantRef: body.tenant_ref,
    channelRef: body.channel_ref,
    number: body.number,
  }));
export type PreviewRoute = z.output<typeof routePreviewBody>;

const price = z
  .strictObject({
    currency: currencyCode,
    /** Without the markup. */
    ratePerMinute: amountText,
    connectionFee: amountText,
    initialSeconds: z.number().int(),
    incrementSeconds: z.number().int(),
    /** FLAT, DECK or DECK_MARKUP; null: of a carrier. */
    method: z.string().nullable(),
    markupPercent: z.string().nullable(),
    /** The entry of the rate deck; null: a flat rate. */
    entry: z
      .strictObject({
        id,
        deckId: id,
        deckName: z.string(),
        prefix: z.string(),
        destination: z.string().nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'RoutePrice' });
export type RoutePriceResource = z.infer<typeof price>;

const perMinute = z.strictObject({ amount: amountText, currency: currencyCode });

export const routePreview = z
  .strictObject({
    /** The number in E.164; null: the address is not a telephone number. */
    number: z.string().nullable(),
    /** The rules in the order in which they are checked, up to the first one that refuses the call. */
    rules: z.array(z.strictObject({ code: z.enum(routeRuleCodes), passed: z.boolean() })),
    /** What `POST …/calls` would answer; null: it would create the call. Balances, limits of calls and the agent are not considered. */
    refusal: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    /** The trunks of the channel: first those that would be tried, in order, then the others. One without a trunk for WhatsApp. */
    routes: z.array(
      z.strictObject({
        /** Null: WhatsApp. */
        trunk: z
          .strictObject({ id, name: z.string(), owner: z.enum(trunkOwners), status: z.string() })
          .nullable(),
        /** 1: tried first. Null: not tried, for the reason in `excluded`. */
        order: z.number().int().nullable(),
        excluded: z.enum(['TRUNK_NOT_ACTIVE', 'NO_PRICE', 'RATE_TOO_HIGH', 'MARGIN']).nullable(),
        /** The numbers as sent to the carrier. */
        called: z.string().nullable(),
        caller: z.string().nullable(),
        /** What the carrier charges you, what the operator charges you, and what you charge the tenant. Null: no price. */
        carrier: price.nullable(),
        platform: price.nullable(),
        tenant: price.nullable(),
        /** Carrier and operator together; null: no price, or two currencies. */
        costPerMinute: perMinute.nullable(),
        /** What the tenant pays minus the cost; null: one of them is not known, or the currencies differ. */
        marginPerMinute: perMinute.nullable(),
      }),
    ),
  })
  .meta({ id: 'RoutePreview' });
export type RoutePreview = z.infer<typeof routePreview>;

const blocks = { initialSeconds: 60, incrementSeconds: 60 };

export const routePreviewEndpoints = {
  previewRoute: defineEndpoint({
    method: 'POST',
    path: '/v1/route-preview',
    summary:
      'Shows what would happen to an outbound call, without placing it: the number, the rules that apply, the trunks in the order in which they would be tried, their prices and the margin.',
    body: routePreviewBody,
    answer: { status: 200, body: z.strictObject({ preview: routePreview }) },
    errors: ['idempotency_key_in_use', 'idempotency_key_reused'],
    role: 'own',
    oneTenantSession: false,
    example: {
      body: { tenant_ref: 'acme', channel_ref: 'main', number: '+44 20 7946 0123' },
      answer: {
        preview: {
          number: '+442079460123',
          rules: routeRuleCodes.map((code) => ({ code, passed: true })),
          refusal: null,
          routes: [
            {
              trunk: { id: 7, name: 'carrier-one', owner: 'CONSUMER', status: 'ACTIVE' },
              order: 1,
              excluded: null,
              called: '442079460123',
              caller: '442071838750',
              carrier: {
                currency: 'USD',
                ratePerMinute: '0.0048',
                connectionFee: '0',
                ...blocks,
                method: null,
                markupPercent: null,
                entry: {
                  id: 9001,
                  deckId: 21,
                  deckName: 'Carrier One A-Z',
                  prefix: '4420',
                  destination: 'United Kingdom London',
                },
              },
              platform: null,
              tenant: {
                currency: 'USD',
                ratePerMinute: '0.0048',
                connectionFee: '0',
                ...blocks,
                method: 'DECK_MARKUP',
                markupPercent: '50',
                entry: {
                  id: 9001,
                  deckId: 21,
                  deckName: 'Carrier One A-Z',
                  prefix: '4420',
                  destination: 'United Kingdom London',
                },
              },
              costPerMinute: { amount: '0.0048', currency: 'USD' },
              marginPerMinute: { amount: '0.0024', currency: 'USD' },
            },
          ],
        },
      },
    },
  }),
};
