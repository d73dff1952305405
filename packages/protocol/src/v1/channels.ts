/** Lines: phone numbers and WhatsApp numbers of a tenant. */
import { z } from 'zod';
import { channelTypes } from '../enums.ts';
import { shaped } from '../openapi/input-shape.ts';
import { defineEndpoint } from './endpoint.ts';
import {
  id,
  integer,
  jsonObject,
  MAX_INTEGER,
  optional,
  optionalOrNull,
  orDefault,
  orNull,
  queryBoolean,
  queryInteger,
  ref,
  required,
  text,
  word,
} from './fields.ts';

export const channelStatuses = ['ACTIVE', 'DISABLED'] as const;
const ADDRESS_MAX_CHARS = 50;
const DISPLAY_NAME_MAX_CHARS = 255;
const PROVIDER_ACCOUNT_ID_MAX_CHARS = 191;
const RING_TIMEOUT_SECONDS = { min: 5, max: 60 };
const LIST_LIMIT_MAX = 500;
/** A filter may write the number with more signs than a line's address holds. */
const ADDRESS_FILTER_MAX_CHARS = 191;

/** The WhatsApp phone number id: text, or the same digits as a number. */
const providerAccountId = shaped(
  z.preprocess<unknown, z.ZodString, string | number>(
    (value) => (typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value),
    text(PROVIDER_ACCOUNT_ID_MAX_CHARS),
  ),
  { also: [{ type: 'integer' }] },
);

/** What is needed depends on the type; whatever else is in it is kept. */
const credentials = shaped(optionalOrNull(jsonObject), {
  is: {
    type: ['object', 'null'],
    additionalProperties: true,
    properties: { access_token: { type: 'string', description: 'Of a WhatsApp line, required there.' } },
  },
});

/** A token that was copied with a line break is the token all the same. */
const trimmed = (given: Record<string, unknown> | null | undefined) =>
  typeof given?.['access_token'] === 'string'
    ? { ...given, access_token: given['access_token'].trim() }
    : given;

export const putChannelBody = z
  .object({
    type: required(word(channelTypes)),
    address: required(text(ADDRESS_MAX_CHARS)).describe(
      'The number of the line. Of a SIP line the DID: `+44…`, `44…` or `0044…`, answered in E.164.',
    ),
    display_name: orNull(text(DISPLAY_NAME_MAX_CHARS)),
    provider_account_id: orNull(providerAccountId).describe(
      'The WhatsApp phone number id. Required for a WhatsApp line; belongs to one line only.',
    ),
    sip_trunk_id: orNull(z.number().int()).describe(
      'A trunk of GET /v1/sip-trunks. Required for a SIP line.',
    ),
    credentials: credentials.describe('Kept when left out, cleared by null. Never returned.'),
    inbound_queue_ref: orNull(ref).describe('Makes the line shared: its calls wait in this queue.'),
    owner_agent_ref: orNull(ref).describe(
      'Makes the line personal: its calls ring this agent. Not together with inbound_queue_ref.',
    ),
    ring_timeout_seconds: orNull(integer(RING_TIMEOUT_SECONDS.min, RING_TIMEOUT_SECONDS.max)).describe(
      'How long a personal line rings its owner. 30 applies when it is null.',
    ),
    recording_enabled: orNull(z.boolean()).describe('Null follows the tenant.'),
    status: orDefault(word(channelStatuses), 'ACTIVE').describe('A DISABLED line takes and makes no calls.'),
  })
  .check(({ value, issues }) => {
    const complain = (field: string, message: string) =>
      issues.push({ code: 'custom', message, path: field.split('.'), input: value });
    if (value.type === 'SIP' && value.sip_trunk_id === null)
      complain('sip_trunk_id', 'is required for a SIP line');
    if (value.type === 'WHATSAPP') {
      if (value.provider_account_id === null) {
        complain('provider_account_id', 'is required for a WhatsApp line');
      }
      const token = value.credentials?.['access_token'];
      if (value.credentials && (typeof token !== 'string' || token.trim() === '')) {
        complain('credentials.access_token', 'is required for a WhatsApp line');
      }
    }
    if (value.inbound_queue_ref !== null && value.owner_agent_ref !== null) {
      complain('owner_agent_ref', 'cannot stand together with inbound_queue_ref');
    }
  })
  .transform((body) => ({
    type: body.type,
    address: body.address,
    displayName: body.display_name,
    providerAccountId: body.provider_account_id,
    sipTrunkId: body.sip_trunk_id,
    credentials: trimmed(body.credentials),
    inboundQueueRef: body.inbound_queue_ref,
    ownerAgentRef: body.owner_agent_ref,
    ringTimeoutSeconds: body.ring_timeout_seconds,
    recordingEnabled: body.recording_enabled,
    status: body.status,
  }));
export type PutChannel = z.output<typeof putChannelBody>;

export const listChannelsQuery = z
  .object({
    type: optional(word(channelTypes)),
    owner_agent_ref: optional(ref).describe("The agent's personal lines. 404 when there is no such agent."),
    unowned: optional(queryBoolean).describe('Lines without an owner. Not together with owner_agent_ref.'),
    address: optional(text(ADDRESS_FILTER_MAX_CHARS)).describe('The number, with or without `+`.'),
    limit: optional(queryInteger(1, LIST_LIMIT_MAX)).describe(
      'Lines per page. Without it all of them come at once.',
    ),
    after_id: optional(queryInteger(0, MAX_INTEGER)).describe('The nextAfterId of the page before.'),
  })
  .refine((query) => !(query.unowned && query.owner_agent_ref !== undefined), {
    path: ['unowned'],
    error: 'cannot stand together with owner_agent_ref',
  })
  .transform((query) => ({
    type: query.type ?? null,
    ownerAgentRef: query.owner_agent_ref ?? null,
    unowned: query.unowned ?? false,
    address: query.address ?? null,
    limit: query.limit ?? null,
    afterId: query.after_id ?? null,
  }));
export type ListChannels = z.output<typeof listChannelsQuery>;

export const recordingSources = ['LINE', 'TENANT', 'ACCOUNT'] as const;

export const channelResource = z.strictObject({
  id,
  ref: z.string(),
  type: z.enum(channelTypes),
  displayName: z.string().nullable(),
  address: z.string(),
  providerAccountId: z.string().nullable(),
  sipTrunkId: id.nullable(),
  phoneNumberId: id.nullable(),
  inboundQueueId: id.nullable(),
  ownerAgentId: id.nullable(),
  ringTimeoutSeconds: z.number().int().nullable(),
  recordingEnabled: z.boolean().nullable(),
  /** What applies to the line, and whose choice it is. */
  recording: z.strictObject({ enabled: z.boolean(), source: z.enum(recordingSources) }),
  hasCredentials: z.boolean(),
  status: z.enum(channelStatuses),
});
export type ChannelResource = z.infer<typeof channelResource>;

const example = {
  id: 12,
  ref: 'main',
  type: 'SIP',
  displayName: 'Main number',
  address: '+442071838750',
  providerAccountId: null,
  sipTrunkId: 1,
  phoneNumberId: 4,
  inboundQueueId: 3,
  ownerAgentId: null,
  ringTimeoutSeconds: null,
  recordingEnabled: null,
  recording: { enabled: false, source: 'ACCOUNT' },
  hasCredentials: false,
  status: 'ACTIVE',
};
const one = z.strictObject({ channel: channelResource });
const path = '/v1/tenants/{tenantRef}/channels/{channelRef}';
const pathExample = { tenantRef: 'acme', channelRef: 'main' };

export const channelEndpoints = {
  putChannel: defineEndpoint({
    method: 'PUT',
    path,
    summary:
      'Creates or replaces a line. Credentials left out are kept; every other field goes back to its default.',
    body: putChannelBody,
    answer: { status: 200, body: one },
    errors: ['not_found'],
    role: 'manage',
    oneTenantSession: true,
    example: {
      path: pathExample,
      body: { type: 'SIP', address: '+442071838750', sip_trunk_id: 1, inbound_queue_ref: 'support' },
      answer: { channel: example },
    },
  }),
  getChannel: defineEndpoint({
    method: 'GET',
    path,
    summary: 'One line.',
    answer: { status: 200, body: one },
    errors: ['not_found'],
    role: 'look',
    oneTenantSession: true,
    example: { path: pathExample, answer: { channel: example } },
  }),
  listChannels: defineEndpoint({
    method: 'GET',
    path: '/v1/tenants/{tenantRef}/channels',
    summary:
      'Lines of the tenant, oldest first. Without `limit` all of them; with it a page, whose nextAfterId goes back as after_id.',
    query: listChannelsQuery,
    answer: {
      status: 200,
      body: z.strictObject({ channels: z.array(channelResource), nextAfterId: id.nullable() }),
    },
    errors: ['not_found'],
    role: 'look',
    oneTenantSession: true,
    example: {
      path: { tenantRef: 'acme' },
      query: 'type=SIP&limit=100',
      answer: { channels: [example], nextAfterId: null },
    },
  }),
  deleteChannel: defineEndpoint({
    method: 'DELETE',
    path,
    summary: 'Deletes a line and releases its number.',
    answer: { status: 204 },
    errors: ['not_found'],
    role: 'manage',
    oneTenantSession: true,
    example: { path: pathExample },
  }),
};
