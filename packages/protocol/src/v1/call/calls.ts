/** Calls: creating outbound intents, listing, details, changing, deleting and terminating. */
import { z } from 'zod';
import { callDetail, callView, channelMap } from '../../call.ts';
import { addressTypes, callDirections, callStatuses } from '../../enums.ts';
import { isWithheldAddress } from '../../withheld.ts';
import { defineEndpoint } from '../endpoint.ts';
import {
  id,
  jsonObject,
  MAX_INTEGER,
  optional,
  optionalOrNull,
  orDefault,
  orNull,
  queryBoolean,
  queryInteger,
  queryTimestamp,
  ref,
  required,
  text,
  enumField,
} from '../fields/fields.ts';

export const CUSTOMER_ADDRESS_MAX_CHARS = 191;
const CUSTOMER_NAME_MAX_CHARS = 255;
const EXTERNAL_REF_MAX_CHARS = 191;
const LIST_LIMIT = { max: 200, default: 50 };
/** Keeps the number of skipped rows within the range of an integer. */
const PAGE_MAX = 10_000_000;

export const createCallBody = z
  .object({
    channel_ref: required(ref).describe('The channel from which the call is placed.'),
    agent_ref: required(ref).describe(
      'The agent who will place the call. For a personal channel, this must be its owner.',
    ),
    customer: required(
      z.object({
        address: required(text(CUSTOMER_ADDRESS_MAX_CHARS)).describe(
          "An E.164 number or SIP URI for a SIP channel; the customer's WhatsApp number or user ID for a WhatsApp channel.",
        ),
        address_type: orNull(enumField(addressTypes)).describe(
          'If omitted, it is inferred from the channel and the address. Customers of a WhatsApp channel are always WHATSAPP_USER.',
        ),
        name: orNull(text(CUSTOMER_NAME_MAX_CHARS)).describe('Shown to the agent.'),
      }),
    ),
    external_ref: orNull(text(EXTERNAL_REF_MAX_CHARS)).describe(
      'Your own value. It is returned on every event of the call.',
    ),
    consumer_metadata: orNull(jsonObject).describe(
      'Your own value. It is returned on every event of the call.',
    ),
  })
  .transform((body) => ({
    channelRef: body.channel_ref,
    agentRef: body.agent_ref,
    customer: {
      address: body.customer.address,
      addressType: body.customer.address_type,
      name: body.customer.name,
    },
    externalRef: body.external_ref,
    consumerMetadata: body.consumer_metadata,
  }));
export type CreateCall = z.output<typeof createCallBody>;

/** Omitted fields are kept; null clears a field. */
export const patchCallBody = z
  .object({
    external_ref: optionalOrNull(text(EXTERNAL_REF_MAX_CHARS)).describe('Kept if omitted, cleared if null.'),
    consumer_metadata: optionalOrNull(jsonObject).describe('Kept if omitted, cleared if null.'),
  })
  .transform((body) => ({ externalRef: body.external_ref, consumerMetadata: body.consumer_metadata }));
export type PatchCall = z.output<typeof patchCallBody>;

export const recordingUrl = z.strictObject({
  /** Valid for anyone until it expires. */
  url: z.string(),
  expiresInSeconds: z.number().int(),
  format: z.string(),
  channelMap,
});
export type RecordingUrl = z.infer<typeof recordingUrl>;

export const listCallsQuery = z
  .object({
    status: optional(enumField(callStatuses)),
    live: optional(queryBoolean).describe('If true, only calls that are INITIATED, RINGING or IN_PROGRESS.'),
    direction: optional(enumField(callDirections)),
    agent_ref: optional(ref).describe('Returns 404 if the agent does not exist.'),
    external_ref: optional(text(EXTERNAL_REF_MAX_CHARS)),
    customer: optional(text(CUSTOMER_ADDRESS_MAX_CHARS)).describe(
      'A number with or without `+` or `00`, a SIP URI, or the user ID of a WhatsApp customer. `anonymous` is not accepted, because calls with withheld numbers do not belong to one customer.',
    ),
    channel_ref: optional(ref).describe('Returns 400 if the channel does not exist.'),
    queue_ref: optional(ref).describe('Returns 400 if the queue does not exist.'),
    from: optional(queryTimestamp).describe(
      'Only calls created at or after this time. UTC unless an offset is given.',
    ),
    to: optional(queryTimestamp).describe(
      'Only calls created before this time. UTC unless an offset is given.',
    ),
    limit: orDefault(queryInteger(1, LIST_LIMIT.max), LIST_LIMIT.default),
    page: optional(queryInteger(1, PAGE_MAX)).describe(
      'The page number, starting at 1. Adds page, pageSize and total to the response. Cannot be combined with before_id.',
    ),
    before_id: optional(queryInteger(0, MAX_INTEGER)).describe('The nextBeforeId of the previous page.'),
    stats: optional(queryBoolean).describe(
      'If true, the response includes totals for all calls that match the filters.',
    ),
  })
  .refine((query) => query.page === undefined || query.before_id === undefined, {
    path: ['before_id'],
    error: 'cannot be combined with page',
  })
  .refine((query) => query.customer === undefined || !isWithheldAddress(query.customer), {
    path: ['customer'],
    error: 'must be an address; calls with withheld numbers do not belong to one customer',
  })
  .transform((query) => ({
    status: query.status ?? null,
    live: query.live ?? false,
    direction: query.direction ?? null,
    agentRef: query.agent_ref ?? null,
    externalRef: query.external_ref ?? null,
    customer: query.customer ?? null,
    channelRef: query.channel_ref ?? null,
    queueRef: query.queue_ref ?? null,
    from: query.from ?? null,
    to: query.to ?? null,
    limit: query.limit,
    page: query.page ?? null,
    beforeId: query.before_id ?? null,
    stats: query.stats ?? false,
  }));
export type ListCalls = z.output<typeof listCallsQuery>;

/** Of unanswered ended calls; answered, missed, lost and failed never overlap (docs/requirements.md#call-statistics). */
export const callStats = z
  .strictObject({
    total: z.number().int(),
    answered: z.number().int(),
    missed: z.number().int(),
    lost: z.number().int(),
    failed: z.number().int(),
    live: z.number().int(),
    inbound: z.number().int(),
    outbound: z.number().int(),
    talkSeconds: z.number().int(),
    /** Per answered call, rounded; 0 if no call was answered. */
    avgTalkSeconds: z.number().int(),
    /** Per call that waited in a queue, rounded; null if none did. */
    avgWaitSeconds: z.number().int().nullable(),
    longestWaitSeconds: z.number().int().nullable(),
  })
  .meta({ id: 'CallStats' });
export type CallStats = z.infer<typeof callStats>;

export const callList = z.strictObject({
  calls: z.array(callView),
  /** Null only if the page is empty. */
  nextBeforeId: id.nullable(),
  page: z.number().int().optional(),
  pageSize: z.number().int().optional(),
  total: z.number().int().optional(),
  stats: callStats.optional(),
});
export type CallList = z.infer<typeof callList>;

const example = {
  callId: 4711,
  tenantRef: 'acme',
  status: 'INITIATED',
  direction: 'OUTBOUND',
  channelId: 12,
  channelRef: 'main',
  channelType: 'SIP',
  queueId: null,
  queueRef: null,
  agentId: 7,
  agentRef: 'ada',
  customer: { address: '+442079460123', addressType: 'E164', addressWithheld: false, name: 'Grace' },
  externalRef: 'order-981',
  consumerMetadata: { order: 981 },
  terminationReason: null,
  terminatedBy: null,
  failureDetails: null,
  mediaPath: null,
  durations: { ring: 0, wait: 0, call: 0, total: 0 },
  createdAt: '2026-01-05T09:00:00.000Z',
  ringingAt: null,
  queuedAt: null,
  answeredAt: null,
  endedAt: null,
};
const ofTenant = '/v1/tenants/{tenantRef}/calls';

export const callEndpoints = {
  createCall: defineEndpoint({
    method: 'POST',
    path: ofTenant,
    summary:
      "Creates an outbound intent. The agent's app must start it within 2 minutes; otherwise it ends with CANCELLED. Send an Idempotency-Key so that a retry never dials twice.",
    body: createCallBody,
    answer: { status: 201, body: z.strictObject({ call: callView }) },
    errors: [
      'not_found',
      'tenant_suspended',
      'tenant_outbound_blocked',
      'tenant_insufficient_balance',
      'account_suspended',
      'outbound_blocked',
      'insufficient_balance',
      'line_not_owned',
      'destination_blocked',
      'destination_not_allowed',
      'rate_too_high',
      'emergency_not_supported',
      'too_many_calls',
      'overloaded',
      'invalid_channel',
      'invalid_agent',
      'channel_disabled',
      'unsupported_channel',
      'agent_busy',
      'invalid_customer',
      'idempotency_key_in_use',
      'idempotency_key_reused',
    ],
    role: 'manage',
    oneTenantSession: true,
    example: {
      path: { tenantRef: 'acme' },
      body: {
        channel_ref: 'main',
        agent_ref: 'ada',
        customer: { address: '+442079460123', name: 'Grace' },
        external_ref: 'order-981',
        consumer_metadata: { order: 981 },
      },
      answer: { call: example },
    },
  }),
  listCalls: defineEndpoint({
    method: 'GET',
    path: ofTenant,
    summary:
      'Lists calls of the tenant, newest first. Request pages with `page`, or pass nextBeforeId as before_id. stats=true adds totals for all matching calls.',
    query: listCallsQuery,
    answer: { status: 200, body: callList },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: true,
    example: {
      path: { tenantRef: 'acme' },
      query: 'direction=OUTBOUND&limit=50',
      answer: { calls: [example], nextBeforeId: 4711 },
    },
  }),
  getCall: defineEndpoint({
    method: 'GET',
    path: '/v1/calls/{callId}',
    summary:
      'Returns a call with its participants, legs, lifecycle log, transfers, IVR sessions and recording.',
    answer: { status: 200, body: callDetail },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: true,
    example: {
      path: { callId: 4711 },
      answer: {
        call: example,
        participants: [],
        legs: [
          {
            type: 'CUSTOMER',
            agentId: null,
            deviceId: null,
            state: 'DISCONNECTED',
            connectedAt: '2026-01-05T09:01:00.000Z',
            disconnectedAt: '2026-01-05T09:02:03.000Z',
            quality: {
              codec: 'PCMA',
              receivedPackets: 3147,
              lostPackets: 3,
              lossPercent: 0.1,
              jitterMs: 4,
              roundTripMs: 62,
              mos: 4.38,
            },
          },
        ],
        events: [],
        transfers: [],
        ivrSessions: [],
        recording: {
          id: 77,
          status: 'completed',
          durationSeconds: 63,
          format: 'ogg',
          channelMap: { left: 'CUSTOMER', right: 'AGENT' },
          completedAt: '2026-01-05T09:02:10.000Z',
          failureReason: null,
        },
      },
    },
  }),
  patchCall: defineEndpoint({
    method: 'PATCH',
    path: '/v1/calls/{callId}',
    summary:
      'Changes your reference and metadata of a call, during the call or after it. Later events contain the new values. Omitted fields are kept, and null clears a field.',
    body: patchCallBody,
    answer: { status: 200, body: z.strictObject({ call: callView }) },
    errors: ['not_found'],
    role: 'manage',
    oneTenantSession: true,
    example: {
      path: { callId: 4711 },
      body: { external_ref: 'order-981', consumer_metadata: { order: 981 } },
      answer: { call: example },
    },
  }),
  deleteCall: defineEndpoint({
    method: 'DELETE',
    path: '/v1/calls/{callId}',
    summary:
      'Deletes an ended call with its legs, lifecycle log, transfers, IVR sessions, recording and events. Usage records are kept.',
    answer: { status: 204 },
    errors: ['not_found', 'call_active', 'storage_unavailable'],
    role: 'manage',
    oneTenantSession: true,
    example: { path: { callId: 4711 } },
  }),
  getRecording: defineEndpoint({
    method: 'GET',
    path: '/v1/calls/{callId}/recording',
    summary:
      'Returns a short-lived URL of the recording, a stereo Ogg file with the customer on the left channel and the agent on the right. Returns 404 until the recording has completed.',
    answer: { status: 200, body: recordingUrl },
    errors: ['not_found', 'storage_unavailable'],
    role: 'view',
    oneTenantSession: true,
    example: {
      path: { callId: 4711 },
      answer: {
        url: 'https://calls.example.com/files/tenants/1/recordings/9f0c/call-4711.ogg?expires=1767604200&signature=Zk3v',
        expiresInSeconds: 300,
        format: 'ogg',
        channelMap: { left: 'CUSTOMER', right: 'AGENT' },
      },
    },
  }),
  terminateCall: defineEndpoint({
    method: 'POST',
    path: '/v1/calls/{callId}/terminate',
    summary:
      'Ends a call. The termination reason is COMPLETED if the call was in progress and CANCELLED otherwise; terminatedBy is CONSUMER.',
    answer: { status: 202, body: z.strictObject({ accepted: z.literal(true) }) },
    errors: ['not_found', 'call_ended', 'idempotency_key_in_use', 'idempotency_key_reused'],
    role: 'manage',
    oneTenantSession: true,
    example: { path: { callId: 4711 }, answer: { accepted: true } },
  }),
};
