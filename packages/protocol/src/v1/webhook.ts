/** Where a consumer's events go. */
import { z } from 'zod';
import { eventTypes } from '../events.ts';
import { defineEndpoint } from './endpoint.ts';
import { eventResource } from './events.ts';
import { orNull, required, text } from './fields.ts';

/** As long as the common servers take. */
const URL_MAX_CHARS = 2_048;

/** Any case in, the type's own spelling out. */
const eventType = z
  .string()
  .transform((value) => value.trim().toLowerCase())
  .pipe(z.enum(eventTypes));

/** Replaces all: a URL left out is removed, `event_types` left out means every type. */
export const putWebhookBody = z
  .object({
    url: orNull(text(URL_MAX_CHARS)).describe('https. Left out, no events are sent.'),
    event_types: orNull(z.array(required(eventType))).describe('Null or left out: every type.'),
    lookup_url: orNull(text(URL_MAX_CHARS)).describe(
      'https. Asked about each inbound caller before it rings.',
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
      'Replaces the webhook settings: a URL left out is removed, `event_types` left out means every type, an empty list none. The first one with a URL answers with the secret, once.',
    body: putWebhookBody,
    answer: { status: 200, body: z.strictObject({ webhook: webhookResource, secret: secret.optional() }) },
    errors: [],
    role: 'own',
    oneTenantSession: false,
    example: {
      body: { url: 'https://api.acme.example/clarion', event_types: ['call.ended'] },
      answer: { webhook: example, secret: exampleSecret },
    },
  }),
  getWebhook: defineEndpoint({
    method: 'GET',
    path,
    summary: 'The webhook settings. The secret is never shown again.',
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
      'Makes a new webhook secret and shows it once. The one before it signs as well for 24 hours: verify against any of the signatures.',
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
      'Sends an event of the type webhook.test to the URL that is set, whatever types were chosen. GET /v1/events/{eventId} says how it went.',
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
