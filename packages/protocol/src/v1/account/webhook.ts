/** The webhook to which a consumer's events are sent. */
import { z } from 'zod';
import { eventTypes } from '../../events.ts';
import { defineEndpoint } from '../endpoint.ts';
import { eventResource } from './events.ts';
import { orNull, required, text } from '../fields/fields.ts';

/** The length that common servers accept. */
const URL_MAX_CHARS = 2_048;

/** Case-insensitive; returned as documented. */
const eventType = z
  .string()
  .transform((value) => value.trim().toLowerCase())
  .pipe(z.enum(eventTypes));

/** Replaces all settings: an omitted URL is removed, and omitted `event_types` mean every type. */
export const putWebhookBody = z
  .object({
    url: orNull(text(URL_MAX_CHARS)).describe('An https URL. If omitted, no events are sent.'),
    event_types: orNull(z.array(required(eventType))).describe(
      'If null or omitted, all event types are sent.',
    ),
    lookup_url: orNull(text(URL_MAX_CHARS)).describe(
      'An https URL that is requested for each inbound caller before the call rings.',
    ),
  })
  .transform(({ url, event_types, lookup_url }) => ({
    url,
    eventTypes: event_types && [...new Set(event_types)],
    lookupUrl: lookup_url,
  }));
export type PutWebhook = z.output<typeof putWebhookBody>;

export const webhookResource = z.strictObject({
  url: z.string().nullable(),
  lookupUrl: z.string().nullable(),
  /** Null means every type. */
  eventTypes: z.array(z.enum(eventTypes)).nullable(),
  secretSet: z.boolean(),
});
export type WebhookResource = z.infer<typeof webhookResource>;

const secret = z.string();
const example = {
  url: 'https://api.acme.example/clarion',
  lookupUrl: null,
  eventTypes: ['call.ended'],
  secretSet: true,
};
const exampleSecret = 'whsec_4vE1zq7B0o2gk1yV7aJxMhQ0b8Jv7d1m3N5kQ2sXw9E=';
const path = '/v1/webhook';

export const webhookEndpoints = {
  putWebhook: defineEndpoint({
    method: 'PUT',
    path,
    summary:
      'Replaces the webhook settings. An omitted URL is removed. If `event_types` is omitted, all types are sent; if it is empty, none are. The first request that sets a URL returns the secret, once.',
    body: putWebhookBody,
    answer: { status: 200, body: z.strictObject({ webhook: webhookResource, secret: secret.optional() }) },
    errors: [],
    role: 'own',
    oneTenantSession: false,
    secretOnce: true,
    example: {
      body: { url: 'https://api.acme.example/clarion', event_types: ['call.ended'] },
      answer: { webhook: example, secret: exampleSecret },
    },
  }),
  getWebhook: defineEndpoint({
    method: 'GET',
    path,
    summary: 'Returns the webhook settings. The secret is not included.',
    answer: { status: 200, body: z.strictObject({ webhook: webhookResource }) },
    errors: [],
    role: 'own',
    oneTenantSession: false,
    example: { answer: { webhook: example } },
  }),
  rotateWebhookSecret: defineEndpoint({
    method: 'POST',
    path: `${path}/secret`,
    summary:
      'Creates a new webhook secret, which is shown only once. For 24 hours, events are also signed with the previous secret; accept an event if any of its signatures matches.',
    answer: { status: 200, body: z.strictObject({ webhook: webhookResource, secret }) },
    errors: [],
    role: 'own',
    oneTenantSession: false,
    neverReplayed: true,
    example: { answer: { webhook: example, secret: exampleSecret } },
  }),
  testWebhook: defineEndpoint({
    method: 'POST',
    path: `${path}/test`,
    summary:
      'Sends a webhook.test event to the webhook URL, regardless of the selected event types. GET /v1/events/{eventId} returns the result.',
    answer: { status: 202, body: z.strictObject({ event: eventResource }) },
    errors: ['invalid_state', 'idempotency_key_in_use', 'idempotency_key_reused'],
    role: 'own',
    oneTenantSession: false,
    example: {
      answer: {
        event: {
          id: 902,
          eventId: '5d7e0a34-0f0b-4a53-9c27-6f1b0c3d2e4a',
          eventType: 'webhook.test',
          tenantRef: null,
          callId: null,
          occurredAt: '2026-01-05T09:05:00.000Z',
          status: 'PENDING',
          attempts: [],
          nextAttemptAt: '2026-01-05T09:05:00.000Z',
        },
      },
    },
  }),
};
