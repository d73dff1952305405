/** Recorded events, with the responses of the consumer's endpoint. */
import { z } from 'zod';
import { eventTypes } from '../../events.ts';
import { defineEndpoint } from '../endpoint.ts';
import {
  id,
  MAX_INTEGER,
  optional,
  orDefault,
  queryInteger,
  queryTimestamp,
  ref,
  timestamp,
  enumField,
} from '../fields/fields.ts';

/** FAILED: no attempts are left. DISCARDED: there was no URL, or the type was not selected. */
export const eventStatuses = ['PENDING', 'DELIVERED', 'FAILED', 'DISCARDED'] as const;
export type EventStatus = (typeof eventStatuses)[number];
const LIST_LIMIT = { max: 200, default: 50 };

export const listEventsQuery = z
  .object({
    type: optional(
      z
        .string()
        .transform((value) => value.trim().toLowerCase())
        .pipe(z.enum(eventTypes)),
    ),
    tenant_ref: optional(ref).describe('Returns 404 if the tenant does not exist.'),
    call_id: optional(queryInteger(1, MAX_INTEGER)),
    status: optional(enumField(eventStatuses)),
    from: optional(queryTimestamp).describe(
      'Only events that occurred at or after this time. UTC unless an offset is given.',
    ),
    to: optional(queryTimestamp).describe(
      'Only events that occurred before this time. UTC unless an offset is given.',
    ),
    limit: orDefault(queryInteger(1, LIST_LIMIT.max), LIST_LIMIT.default),
    before_id: optional(queryInteger(0, Number.MAX_SAFE_INTEGER)).describe(
      'The nextBeforeId of the previous page.',
    ),
  })
  .transform((query) => ({
    type: query.type ?? null,
    tenantRef: query.tenant_ref ?? null,
    callId: query.call_id ?? null,
    status: query.status ?? null,
    from: query.from ?? null,
    to: query.to ?? null,
    limit: query.limit,
    beforeId: query.before_id ?? null,
  }));
export type ListEvents = z.output<typeof listEventsQuery>;

export const eventAttemptResource = z.strictObject({
  at: timestamp,
  /** Null if there was no response. */
  status: z.number().int().nullable(),
  durationMs: z.number().int(),
  /** A description of the error; null for a successful attempt. */
  error: z.string().nullable(),
  /** The beginning of the response body, at most 1 kB. */
  responseSnippet: z.string().nullable(),
});

export const eventResource = z.strictObject({
  id,
  /** The `event_id` of the envelope, by which receivers de-duplicate. */
  eventId: z.uuid(),
  eventType: z.enum(eventTypes),
  tenantRef: z.string().nullable(),
  callId: id.nullable(),
  occurredAt: timestamp,
  status: z.enum(eventStatuses),
  attempts: z.array(eventAttemptResource),
  nextAttemptAt: timestamp.nullable(),
});
export type EventResource = z.infer<typeof eventResource>;

const example = {
  id: 901,
  eventId: '0b9c1a52-7f6e-4a58-9d3e-2f0b7f6b1c11',
  eventType: 'call.ended',
  tenantRef: 'acme',
  callId: 4711,
  occurredAt: '2026-01-05T09:03:20.000Z',
  status: 'PENDING',
  attempts: [
    {
      at: '2026-01-05T09:03:20.100Z',
      status: 503,
      durationMs: 41,
      error: 'The endpoint returned 503.',
      responseSnippet: 'upstream is down',
    },
  ],
  nextAttemptAt: '2026-01-05T09:03:25.141Z',
};

export const eventEndpoints = {
  listEvents: defineEndpoint({
    method: 'GET',
    path: '/v1/events',
    summary:
      'Lists events, newest first, with every delivery attempt and its response. Pass nextBeforeId as before_id to get the next page, until it is null.',
    query: listEventsQuery,
    answer: {
      status: 200,
      body: z.strictObject({
        events: z.array(eventResource),
        /** Null only if the page is empty. */
        nextBeforeId: id.nullable(),
      }),
    },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: false,
    example: {
      query: 'status=FAILED&tenant_ref=acme',
      answer: { events: [example], nextBeforeId: 901 },
    },
  }),
  getEvent: defineEndpoint({
    method: 'GET',
    path: '/v1/events/{eventId}',
    summary: 'Returns an event with every delivery attempt and the exact body that is sent.',
    answer: { status: 200, body: z.strictObject({ event: eventResource, body: z.string() }) },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: false,
    example: {
      path: { eventId: example.eventId },
      answer: { event: example, body: `{"event_id":"${example.eventId}","event_type":"call.ended"}` },
    },
  }),
  redeliverEvent: defineEndpoint({
    method: 'POST',
    path: '/v1/events/{eventId}/redeliver',
    summary:
      'Sends an event again to the current webhook URL, whatever its status. If the attempt fails, the retry schedule starts from the beginning.',
    answer: { status: 202, body: z.strictObject({ event: eventResource }) },
    errors: ['not_found', 'invalid_state', 'idempotency_key_in_use', 'idempotency_key_reused'],
    role: 'manage',
    oneTenantSession: false,
    example: {
      path: { eventId: example.eventId },
      answer: { event: { ...example, nextAttemptAt: '2026-01-05T09:03:22.000Z' } },
    },
  }),
};
