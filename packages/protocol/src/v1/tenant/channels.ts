/** Lines: phone numbers and WhatsApp numbers of a tenant. */
import { z } from 'zod';
import { channelTypes } from '../../enums.ts';
import { shaped } from '../../openapi/input-shape.ts';
import { defineEndpoint } from '../endpoint.ts';
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
  enumField,
} from '../fields/fields.ts';

export const channelStatuses = ['ACTIVE', 'DISABLED'] as const;
const ADDRESS_MAX_CHARS = 50;
const DISPLAY_NAME_MAX_CHARS = 255;
const PROVIDER_ACCOUNT_ID_MAX_CHARS = 191;
const RING_TIMEOUT_SECONDS = { min: 5, max: 60 };
const LIST_LIMIT_MAX = 500;
/** The number in a filter may contain more separators than a stored address. */
const ADDRESS_FILTER_MAX_CHARS = 191;

/** The WhatsApp phone number ID, as a string or a number. */
const providerAccountId = shaped(
  z.preprocess<unknown, z.ZodString, string | number>(
    (value) => (typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value),
    text(PROVIDER_ACCOUNT_ID_MAX_CHARS),
  ),
  { also: [{ type: 'integer' }] },
);

/** The required fields depend on the type of line; other fields are kept. */
const credentials = shaped(optionalOrNull(jsonObject), {
  is: {
    type: ['object', 'null'],
    additionalProperties: true,
    properties: { access_token: { type: 'string', description: 'Required for a WhatsApp channel.' } },
  },
});

/** Trims the token, which may have been copied with a line break. */
const trimmed = (given: Record<string, unknown> | null | undefined) =>
  typeof given?.['access_token'] === 'string'
    ? { ...given, access_token: given['access_token'].trim() }
    : given;

export const putChannelBody = z
  .object({
    type: required(enumField(channelTypes)),
    address: required(text(ADDRESS_MAX_CHARS)).describe(
      'The number of the channel. For a SIP channel this is the DID, given as `+44…`, `44…` or `0044…` and returned in E.164.',
    ),
    display_name: orNull(text(DISPLAY_NAME_MAX_CHARS)),
    provider_account_id: orNull(providerAccountId).describe(
      'The WhatsApp phone number ID. Required for a WhatsApp channel. It can belong to one channel only.',
    ),
    sip_trunk_id: orNull(z.number().int()).describe(
      'The ID of a trunk listed by GET /v1/sip-trunks. Required for a SIP channel.',
    ),
    backup_sip_trunk_id: orNull(z.number().int()).describe(
      'The ID of another trunk, for a SIP channel: it places outbound calls that the first trunk cannot. The number of the channel belongs to the first trunk only.',
    ),
    least_cost_routing: orDefault(z.boolean(), false).describe(
      'For a SIP channel with a backup trunk: outbound calls are placed on whichever of the two trunks has the cheaper carrier for the number, and on the other one if that fails.',
    ),
    margin_guard: orDefault(z.boolean(), false).describe(
      'For a SIP channel: an outbound call is not placed on a trunk whose carrier costs more than the tenant pays for it.',
    ),
    credentials: credentials.describe('Kept if omitted, cleared if null. Never returned.'),
    inbound_queue_ref: orNull(ref).describe('Makes the channel shared: inbound calls wait in this queue.'),
    owner_agent_ref: orNull(ref).describe(
      'Makes the channel personal: inbound calls ring this agent. Cannot be combined with inbound_queue_ref.',
    ),
    ring_timeout_seconds: orNull(integer(RING_TIMEOUT_SECONDS.min, RING_TIMEOUT_SECONDS.max)).describe(
      'How long a personal channel rings its owner. If null, 30 seconds. A WhatsApp channel rings at most 25 seconds.',
    ),
    recording_enabled: orNull(z.boolean()).describe("If null, the tenant's setting applies."),
    status: orDefault(enumField(channelStatuses), 'ACTIVE').describe(
      'A DISABLED channel neither receives nor places calls.',
    ),
  })
  .check(({ value, issues }) => {
    const addIssue = (field: string, message: string) =>
      issues.push({ code: 'custom', message, path: field.split('.'), input: value });
    if (value.type === 'SIP' && value.sip_trunk_id === null)
      addIssue('sip_trunk_id', 'is required for a SIP line');
    if (value.backup_sip_trunk_id !== null) {
      if (value.type !== 'SIP') addIssue('backup_sip_trunk_id', 'is for SIP lines only');
      else if (value.backup_sip_trunk_id === value.sip_trunk_id)
        addIssue('backup_sip_trunk_id', 'must be another trunk than sip_trunk_id');
    }
    if (value.least_cost_routing && value.backup_sip_trunk_id === null)
      addIssue('least_cost_routing', 'requires backup_sip_trunk_id');
    if (value.margin_guard && value.type !== 'SIP') addIssue('margin_guard', 'is for SIP lines only');
    if (value.type === 'WHATSAPP') {
      if (value.provider_account_id === null) {
        addIssue('provider_account_id', 'is required for a WhatsApp line');
      }
      const token = value.credentials?.['access_token'];
      if (value.credentials && (typeof token !== 'string' || token.trim() === '')) {
        addIssue('credentials.access_token', 'is required for a WhatsApp line');
      }
    }
    if (value.inbound_queue_ref !== null && value.owner_agent_ref !== null) {
      addIssue('owner_agent_ref', 'cannot be combined with inbound_queue_ref');
    }
  })
  .transform((body) => ({
    type: body.type,
    address: body.address,
    displayName: body.display_name,
    providerAccountId: body.provider_account_id,
    sipTrunkId: body.sip_trunk_id,
    backupSipTrunkId: body.backup_sip_trunk_id,
    leastCostRouting: body.least_cost_routing,
    marginGuard: body.margin_guard,
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
    type: optional(enumField(channelTypes)),
    owner_agent_ref: optional(ref).describe(
      'Only the personal channels of this agent. Returns 404 if the agent does not exist.',
    ),
    unowned: optional(queryBoolean).describe(
      'If true, only channels without an owner. Cannot be combined with owner_agent_ref.',
    ),
    address: optional(text(ADDRESS_FILTER_MAX_CHARS)).describe(
      'The number of the channel, with or without `+`.',
    ),
    limit: optional(queryInteger(1, LIST_LIMIT_MAX)).describe(
      'The number of channels per page. If omitted, all channels are returned.',
    ),
    after_id: optional(queryInteger(0, MAX_INTEGER)).describe('The nextAfterId of the previous page.'),
  })
  .refine((query) => !(query.unowned && query.owner_agent_ref !== undefined), {
    path: ['unowned'],
    error: 'cannot be combined with owner_agent_ref',
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
  backupSipTrunkId: id.nullable(),
  leastCostRouting: z.boolean(),
  marginGuard: z.boolean(),
  phoneNumberId: id.nullable(),
  inboundQueueId: id.nullable(),
  ownerAgentId: id.nullable(),
  ringTimeoutSeconds: z.number().int().nullable(),
  recordingEnabled: z.boolean().nullable(),
  /** Whether calls on the line are recorded, and which setting decides it. */
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
  backupSipTrunkId: null,
  leastCostRouting: false,
  marginGuard: false,
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
      'Creates or replaces a channel. Omitted credentials are kept; every other omitted field is reset to its default.',
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
    summary: 'Returns a channel.',
    answer: { status: 200, body: one },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: true,
    example: { path: pathExample, answer: { channel: example } },
  }),
  listChannels: defineEndpoint({
    method: 'GET',
    path: '/v1/tenants/{tenantRef}/channels',
    summary:
      'Lists channels of the tenant, oldest first. Without `limit`, all channels are returned. With `limit`, pass nextAfterId as after_id to get the next page.',
    query: listChannelsQuery,
    answer: {
      status: 200,
      body: z.strictObject({ channels: z.array(channelResource), nextAfterId: id.nullable() }),
    },
    errors: ['not_found'],
    role: 'view',
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
    summary: 'Deletes a channel and releases its number.',
    answer: { status: 204 },
    errors: ['not_found'],
    role: 'manage',
    oneTenantSession: true,
    example: { path: pathExample },
  }),
};
