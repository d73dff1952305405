/** Usage records: what was used, by which tenant, and what it cost. */
import { z } from 'zod';
import { callDirections, channelTypes } from '../../enums.ts';
import { defineEndpoint } from '../endpoint.ts';
import { id, optional, queryTimestamp, ref, timestamp } from '../fields/fields.ts';
import { amountText, currencyCode } from '../fields/money.ts';
import { pageQuery, pageShape } from '../fields/paging.ts';
import { windowQuery } from '../fields/window.ts';

export const usageKinds = ['CALL', 'RECORDING', 'STORAGE', 'MONTHLY_FEE', 'SEAT', 'NUMBER'] as const;
export type UsageKind = (typeof usageKinds)[number];
/** PLATFORM: carried by a trunk of the operator. CONSUMER: by an own trunk of the account. */
export const trunkOwners = ['PLATFORM', 'CONSUMER'] as const;
const LIST_LIMIT = { max: 200, default: 50 };

export const listUsageQuery = windowQuery({
  from: optional(queryTimestamp),
  to: optional(queryTimestamp),
  tenant_ref: optional(ref),
  ...pageQuery(LIST_LIMIT),
}).transform(({ from, to, tenant_ref, page, limit }) => ({
  from: from ?? null,
  to: to ?? null,
  tenantRef: tenant_ref ?? null,
  page,
  limit,
}));
export type ListUsage = z.output<typeof listUsageQuery>;

/** How a price was determined: from an item of a plan, an entry of a rate deck, or a markup. */
const tenantCharge = z.strictObject({
  amount: amountText,
  currency: currencyCode,
  /** FLAT, DECK or DECK_MARKUP. */
  method: z.string(),
  markupPercent: z.string().nullable(),
  entryId: id.nullable(),
});

export const usageResource = z
  .strictObject({
    id,
    /** Null if the usage was not a call. The ID of a deleted call is kept. */
    callId: id.nullable(),
    tenantRef: z.string(),
    kind: z.enum(usageKinds),
    direction: z.enum(callDirections).nullable(),
    channelType: z.enum(channelTypes).nullable(),
    /** Null if no trunk was used. */
    trunkOwner: z.enum(trunkOwners).nullable(),
    /** Of a call: from the answer to the end, 0 if unanswered. Of a recording: its duration. */
    seconds: z.number().int(),
    /** Of a call: from the 200 of the SIP call to the end, rounded up; this is what is priced. It contains an IVR and a queue that answers. */
    connectedSeconds: z.number().int().nullable(),
    /** Rounded up to the billing blocks of the tenant's price, else of the carrier's, else of the platform's; null: no price. */
    billedSeconds: z.number().int().nullable(),
    /** Of what is charged by the day: `YYYY-MM-DD` (UTC), and gigabytes, agents or numbers on that day. */
    day: z.string().nullable(),
    quantity: amountText.nullable(),
    /** What the carrier charges. NO_RATE: there is no price, for the `reason` given. */
    carrierCost: z.strictObject({
      amount: amountText.nullable(),
      currency: currencyCode.nullable(),
      status: z.enum(['RATED', 'NO_RATE']),
      reason: z.string().nullable(),
      /** The entry of the rate deck. */
      entryId: id.nullable(),
    }),
    tenantCharges: z.array(tenantCharge),
    platformCost: z.strictObject({ amount: amountText, currency: currencyCode }).nullable(),
    /** The time of the usage; for a call, its end. */
    createdAt: timestamp,
  })
  .meta({ id: 'UsageRecord' });
export type UsageResource = z.infer<typeof usageResource>;

export const usageEndpoints = {
  listUsage: defineEndpoint({
    method: 'GET',
    path: '/v1/usage',
    summary:
      'Lists usage records from `from` (inclusive) to `to` (exclusive), newest first. There is one record for every ended call, including unanswered calls (0 seconds). The default window is the last 30 days; the maximum is 400 days. Without a price, carrierCost is NO_RATE with a reason, and tenantCharges is empty.',
    query: listUsageQuery,
    answer: { status: 200, body: z.strictObject({ usage: z.array(usageResource), ...pageShape }) },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: false,
    example: {
      query: 'tenant_ref=acme&from=2026-01-01&to=2026-02-01&limit=50',
      answer: {
        usage: [
          {
            id: 88,
            callId: 4711,
            tenantRef: 'acme',
            kind: 'CALL',
            direction: 'OUTBOUND',
            channelType: 'SIP',
            trunkOwner: 'CONSUMER',
            seconds: 94,
            connectedSeconds: 95,
            billedSeconds: 120,
            day: null,
            quantity: null,
            carrierCost: { amount: '0.0095', currency: 'USD', status: 'RATED', reason: null, entryId: 9001 },
            tenantCharges: [
              { amount: '0.024', currency: 'USD', method: 'DECK', markupPercent: null, entryId: 8004 },
            ],
            platformCost: null,
            createdAt: '2026-01-05T09:02:10.000Z',
          },
        ],
        page: 1,
        limit: 50,
        total: 1,
      },
    },
  }),
};
