/** A consumer's own trunks: creating and changing them, and moving them between statuses. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { required, enumField } from '../fields/fields.ts';
import { createTrunkBody, putTrunkBody } from './trunk-body.ts';
import { ownTrunkResource } from './trunks.ts';

export const putTrunkStatusBody = z.object({ status: required(enumField(['ACTIVE', 'DISABLED'])) });

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
  destinations: [{ host: 'sip2.carrier.example', port: 5060, priority: 1, weight: 1 }],
  register: false,
  srtp: false,
  quirks: { calledPlus: true },
  maxCalls: 50,
  callsPerSecond: null,
  hasCredentials: true,
  reviewNote: null,
  submittedAt: null,
  reviewedAt: null,
  createdAt: '2026-01-05T09:00:00.000Z',
  buyDeckId: null,
  inboundBuyDeckId: null,
  templateId: null,
  followTemplate: false,
  registration: null,
  up: null,
};
const settingsExample = {
  host: example.host,
  inbound_source_cidrs: example.inboundSourceCidrs,
  country_code: '44',
  national_prefix: '0',
  tech_prefixes: example.techPrefixes,
  destinations: [{ host: 'sip2.carrier.example' }],
  quirks: { called_plus: true },
  max_calls: 50,
  username: 'acme',
  password: 'as the carrier gave it',
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
    errors: ['not_found', 'self_service_off', 'invalid_state', 'no_addresses', ...repeats],
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
    summary: 'Deletes one of your own trunks that no channel and no live call uses.',
    answer: { status: 204 },
    errors: ['not_found', 'self_service_off', 'in_use', 'suspended'],
    role: 'provision',
    oneTenantSession: false,
    example: { path: pathExample },
  }),
};
