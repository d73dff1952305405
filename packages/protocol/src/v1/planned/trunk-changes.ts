/** A consumer's own trunks: creating, changing and testing them, and the carrier templates from which they can be created. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id, integer, MAX_INTEGER, orNull, required, timestamp, enumField } from '../fields/fields.ts';
import { createTrunkBody, putTrunkBody, trunkCodecs } from './trunk-body.ts';
import { ownTrunkResource, trunkTransports } from '../tenant/trunks.ts';

/** The most rejected calls of the last 7 days that are listed (docs/requirements.md#limits). */
const MAX_REFUSALS = 50;

export const putTrunkStatusBody = z.object({ status: required(enumField(['ACTIVE', 'DISABLED'])) });

/** Sets both; an omitted one is cleared. */
export const putTrunkRateDecksBody = z
  .object({
    buy_deck_id: orNull(integer(1, MAX_INTEGER)),
    inbound_buy_deck_id: orNull(integer(1, MAX_INTEGER)),
  })
  .transform((body) => ({ buyDeckId: body.buy_deck_id, inboundBuyDeckId: body.inbound_buy_deck_id }));

/** `up`: any final response except 5xx, within the timeout. */
export const pingResource = z
  .strictObject({
    up: z.boolean(),
    /** The status of the SIP response; null if there was none. */
    status: z.number().int().nullable(),
    reason: z.string().nullable(),
    rttMs: z.number().nullable(),
    /** A description of why there was no response. */
    error: z.string().nullable(),
    at: timestamp,
    /** The target of the request: `sip:host:port;transport=udp`. */
    target: z.string(),
  })
  .meta({ id: 'TrunkPing' });
export const diagnosticsResource = z
  .strictObject({
    target: z.string(),
    /** The latest ping; null before the first. */
    ping: pingResource.nullable(),
    lastInvite: z.strictObject({ at: timestamp, source: z.string(), number: z.string() }).nullable(),
    /** Calls that were rejected on the trunk in the last 7 days, newest first. */
    refusals: z
      .array(
        z.strictObject({
          at: timestamp,
          status: z.number().int(),
          source: z.string(),
          number: z.string(),
          /** A description of the reason. */
          reason: z.string(),
        }),
      )
      .max(MAX_REFUSALS),
    /** The interval between pings of an active trunk. */
    pingSeconds: z.number().int(),
  })
  .meta({ id: 'TrunkDiagnostics' });
export const carrierTemplateResource = z
  .strictObject({
    id,
    name: z.string(),
    host: z.string(),
    port: z.number().int(),
    transport: z.enum(trunkTransports),
    inboundSourceCidrs: z.array(z.string()),
    numberRules: ownTrunkResource.shape.numberRules,
    /** Null means G.711. */
    codecs: z.array(z.enum(trunkCodecs)).nullable(),
    notes: z.string().nullable(),
  })
  .meta({ id: 'CarrierTemplate' });

const example = {
  id: 7,
  name: 'carrier-uk',
  owner: 'CONSUMER',
  status: 'DRAFT',
  host: 'sip.carrier.example',
  port: 5060,
  transport: 'UDP',
  inboundSourceCidrs: ['198.41.0.4', '198.41.0.64/28'],
  ingressHost: 'acme-carrier-uk.sip.calls.example',
  ingressHostOnly: false,
  numberRules: { country_code: '44', national_prefix: '0' },
  techPrefixes: { inbound: [{ prefix: '77#', purpose: 'PROCESS' }], outbound: '88' },
  codecs: null,
  hasCredentials: true,
  reviewNote: null,
  submittedAt: null,
  reviewedAt: null,
  createdAt: '2026-01-05T09:00:00.000Z',
  buyDeckId: null,
  inboundBuyDeckId: null,
  templateId: null,
  followTemplate: false,
};
const settingsExample = {
  host: example.host,
  inbound_source_cidrs: example.inboundSourceCidrs,
  country_code: '44',
  national_prefix: '0',
  tech_prefixes: example.techPrefixes,
  username: 'acme',
  password: 'as the carrier gave it',
};
const pingExample = {
  up: true,
  status: 200,
  reason: 'OK',
  rttMs: 18,
  error: null,
  at: '2026-01-05T09:10:00.000Z',
  target: 'sip:sip.carrier.example:5060;transport=udp',
};
const submitted = { ...example, status: 'PENDING', submittedAt: '2026-01-05T09:05:00.000Z' };
const active = { ...submitted, status: 'ACTIVE', reviewedAt: '2026-01-05T11:30:00.000Z' };

const one = z.strictObject({ trunk: ownTrunkResource });
const path = '/v1/sip-trunks/{trunkId}';
const pathExample = { trunkId: 7 };
const repeats = ['idempotency_key_in_use', 'idempotency_key_reused'] as const;

export const trunkChangeEndpoints = {
  createTrunk: defineEndpoint({
    method: 'POST',
    path: '/v1/sip-trunks',
    summary:
      'Creates a trunk of your own with status DRAFT. If template_id is given, omitted fields are taken from the template.',
    body: createTrunkBody,
    answer: { status: 201, body: one },
    errors: ['self_service_off', 'exists', 'too_many_trunks', ...repeats],
    role: 'provision',
    oneTenantSession: false,
    example: { body: { name: example.name, ...settingsExample }, answer: { trunk: example } },
  }),
  putTrunk: defineEndpoint({
    method: 'PUT',
    path,
    summary:
      'Replaces the settings of one of your own trunks except its name. Credentials and tech_prefixes are kept if omitted; clear_credentials removes the credentials and null removes the prefixes. Setting source addresses stops the trunk from following its template.',
    body: putTrunkBody,
    answer: { status: 200, body: one },
    errors: ['not_found', 'self_service_off', 'suspended'],
    role: 'provision',
    oneTenantSession: false,
    example: { path: pathExample, body: settingsExample, answer: { trunk: example } },
  }),
  submitTrunk: defineEndpoint({
    method: 'POST',
    path: `${path}/submit`,
    summary:
      'Submits a DRAFT that has at least one source address. It becomes PENDING until the operator decides, or ACTIVE immediately if selfService is AUTO.',
    answer: { status: 200, body: one },
    errors: ['not_found', 'self_service_off', 'invalid_state', 'no_addresses', ...repeats],
    role: 'provision',
    oneTenantSession: false,
    example: { path: pathExample, answer: { trunk: submitted } },
  }),
  setTrunkStatus: defineEndpoint({
    method: 'POST',
    path: `${path}/status`,
    summary: 'Disables an ACTIVE trunk, or activates a DISABLED trunk again.',
    body: putTrunkStatusBody,
    answer: { status: 200, body: one },
    errors: ['not_found', 'self_service_off', 'invalid_state', ...repeats],
    role: 'provision',
    oneTenantSession: false,
    example: {
      path: pathExample,
      body: { status: 'DISABLED' },
      answer: { trunk: { ...active, status: 'DISABLED' } },
    },
  }),
  deleteTrunk: defineEndpoint({
    method: 'DELETE',
    path,
    summary: 'Deletes one of your own trunks that no channel uses.',
    answer: { status: 204 },
    errors: ['not_found', 'self_service_off', 'in_use', 'suspended'],
    role: 'provision',
    oneTenantSession: false,
    example: { path: pathExample },
  }),
  getTrunkDiagnostics: defineEndpoint({
    method: 'GET',
    path: `${path}/diagnostics`,
    summary:
      'Returns diagnostics of one of your own trunks: its latest ping, its last inbound call and the calls that were rejected.',
    answer: { status: 200, body: z.strictObject({ diagnostics: diagnosticsResource }) },
    errors: ['forbidden', 'not_found'],
    role: 'view',
    oneTenantSession: false,
    example: {
      path: pathExample,
      answer: {
        diagnostics: {
          target: pingExample.target,
          ping: pingExample,
          lastInvite: { at: '2026-01-05T09:09:12.480Z', source: '198.41.0.4', number: '+442071838750' },
          refusals: [
            {
              at: '2026-01-05T08:51:03.112Z',
              status: 404,
              source: '198.41.0.4',
              number: '+442071838751',
              reason: 'No line has this number.',
            },
          ],
          pingSeconds: 60,
        },
      },
    },
  }),
  testTrunk: defineEndpoint({
    method: 'POST',
    path: `${path}/test`,
    summary: 'Sends a ping to the carrier of one of your own trunks. Allowed once every 10 seconds.',
    answer: { status: 200, body: z.strictObject({ ping: pingResource }) },
    errors: ['not_found', 'too_soon', 'sip_unavailable', ...repeats],
    role: 'provision',
    oneTenantSession: false,
    example: { path: pathExample, answer: { ping: pingExample } },
  }),
  putTrunkRateDecks: defineEndpoint({
    method: 'PUT',
    path: `${path}/rate-decks`,
    summary:
      'Sets the BUY rate decks for the outbound and inbound calls of one of your own trunks. An omitted deck is cleared.',
    body: putTrunkRateDecksBody,
    answer: {
      status: 200,
      body: z.strictObject({ trunkId: id, buyDeckId: id.nullable(), inboundBuyDeckId: id.nullable() }),
    },
    errors: ['not_found'],
    role: 'provision',
    oneTenantSession: false,
    example: {
      path: pathExample,
      body: { buy_deck_id: 21, inbound_buy_deck_id: null },
      answer: { trunkId: 7, buyDeckId: 21, inboundBuyDeckId: null },
    },
  }),
  listCarrierTemplates: defineEndpoint({
    method: 'GET',
    path: '/v1/carrier-templates',
    summary: 'Lists templates for creating trunks, with the settings of known carriers.',
    answer: { status: 200, body: z.strictObject({ templates: z.array(carrierTemplateResource) }) },
    errors: ['forbidden'],
    role: 'view',
    oneTenantSession: false,
    example: {
      answer: {
        templates: [
          {
            id: 2,
            name: 'Carrier UK',
            host: 'sip.carrier.example',
            port: 5060,
            transport: 'UDP',
            inboundSourceCidrs: ['198.41.0.4'],
            numberRules: { country_code: '44', national_prefix: '0' },
            codecs: null,
            notes: 'Ask them to allow your numbers as caller ID.',
          },
        ],
      },
    },
  }),
};
