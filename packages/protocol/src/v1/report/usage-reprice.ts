/** Pricing earlier usage that has no price, after a rate deck or plan was corrected (docs/requirements.md#prices). */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optional, queryTimestamp, timestamp } from '../fields/fields.ts';
import { windowQuery } from '../fields/window.ts';

/** The window of `GET /v1/usage`. */
export const repriceUsageBody = windowQuery({
  from: optional(queryTimestamp),
  to: optional(queryTimestamp),
}).transform(({ from, to }) => ({ from: from ?? null, to: to ?? null }));

export const usageRepriceEndpoints = {
  repriceUsage: defineEndpoint({
    method: 'POST',
    path: '/v1/usage/reprice',
    summary:
      'Prices the usage records in a window that do not have a price. Existing prices and platform costs are not changed.',
    body: repriceUsageBody,
    answer: {
      status: 200,
      body: z.strictObject({
        from: timestamp,
        to: timestamp,
        /** Records without a price that were priced again. */
        cleared: z.number().int(),
        /** Prices that were found. */
        ratings: z.number().int(),
      }),
    },
    errors: ['forbidden', 'idempotency_key_in_use', 'idempotency_key_reused'],
    role: 'own',
    oneTenantSession: false,
    example: {
      body: { from: '2026-01-01T00:00:00Z', to: '2026-01-08T00:00:00Z' },
      answer: {
        from: '2026-01-01T00:00:00.000Z',
        to: '2026-01-08T00:00:00.000Z',
        cleared: 14,
        ratings: 12,
      },
    },
  }),
};
