/** Diagnostics and the check-up of a consumer's own trunk (docs/requirements.md#trunks). */
import { z } from 'zod';
import { failureCodes } from '../../failures.ts';
import { registrationStates, trunkCheckResults, trunkChecks } from '../../json.ts';
import { defineEndpoint } from '../endpoint.ts';
import { id, timestamp } from '../fields/fields.ts';

/** The most rejected calls of the last 7 days that are listed (docs/requirements.md#limits). */
export const MAX_REFUSALS = 50;
/** The interval between pings of an active trunk. Seconds. */
export const PING_SECONDS = 60;
/** A trunk is tested at most once in this time. Seconds. */
export const TEST_INTERVAL_SECONDS = 10;

/** What the failure catalogue says about a failure; null: there is none, or it was stored by an earlier version. */
const failureShape = {
  code: z.enum(failureCodes).nullable(),
  /** What to do next, as a sentence. */
  fix: z.string().nullable(),
  /** The field of the trunk that decides about it. */
  field: z.string().nullable(),
  /** The path of the documentation about it. */
  docs: z.string().nullable(),
};

/** `up`: any final response except 408 and 5xx, within the timeout. */
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
export type PingResource = z.infer<typeof pingResource>;

export const registrationResource = z
  .strictObject({
    state: z.enum(registrationStates),
    /** The status of the last final response. */
    status: z.number().int().nullable(),
    /** A description of the failure; null while registered. */
    error: z.string().nullable(),
    ...failureShape,
    at: timestamp,
    /** When the registration ends unless it is refreshed. */
    expiresAt: timestamp.nullable(),
    /** The destination that accepted it. */
    target: z.string().nullable(),
  })
  .meta({ id: 'TrunkRegistration' });
export type RegistrationResource = z.infer<typeof registrationResource>;

export const refusedCallResource = z
  .strictObject({
    id,
    at: timestamp,
    status: z.number().int(),
    source: z.string(),
    number: z.string(),
    /** A description of the reason. */
    reason: z.string(),
    ...failureShape,
    /** Whether its SIP ladder can be read: `…/refusals/{refusalId}/ladder`. */
    hasLadder: z.boolean(),
  })
  .meta({ id: 'RefusedCall' });
export type RefusedCallResource = z.infer<typeof refusedCallResource>;

export const diagnosticsResource = z
  .strictObject({
    target: z.string(),
    /** The latest ping; null before the first. */
    ping: pingResource.nullable(),
    /** Since when the carrier has been up or down, as the latest ping reports. */
    upChangedAt: timestamp.nullable(),
    /** Null: the trunk does not register with the carrier. */
    registration: registrationResource.nullable(),
    lastInvite: z.strictObject({ at: timestamp, source: z.string(), number: z.string() }).nullable(),
    /** Calls that were rejected on the trunk in the last 7 days, newest first. */
    refusals: z.array(refusedCallResource).max(MAX_REFUSALS),
    /** The interval between pings of an active trunk. */
    pingSeconds: z.number().int(),
  })
  .meta({ id: 'TrunkDiagnostics' });
export type DiagnosticsResource = z.infer<typeof diagnosticsResource>;

/** One line of a check-up. SKIPPED: it does not apply, or an earlier check failed. */
export const trunkCheckResource = z
  .strictObject({
    check: z.enum(trunkChecks),
    result: z.enum(trunkCheckResults),
    /** What was found, as a sentence. */
    text: z.string(),
    ...failureShape,
    /** The figures behind it, by name. */
    details: z.record(
      z.string(),
      z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]),
    ),
  })
  .meta({ id: 'TrunkCheck' });
export type TrunkCheckResource = z.infer<typeof trunkCheckResource>;

const pingExample = {
  up: true,
  status: 200,
  reason: 'OK',
  rttMs: 18,
  error: null,
  at: '2026-01-05T09:10:00.000Z',
  target: 'sip:sip.carrier.example:5060;transport=udp',
};
const noFailure = { code: null, fix: null, field: null, docs: null };

const path = '/v1/sip-trunks/{trunkId}';
const pathExample = { trunkId: 7 };

export const trunkDiagnosticsEndpoints = {
  getTrunkDiagnostics: defineEndpoint({
    method: 'GET',
    path: `${path}/diagnostics`,
    summary:
      'Returns diagnostics of one of your own trunks: its latest ping, its registration, its last inbound call and the calls that were rejected.',
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
          upChangedAt: '2026-01-05T08:50:00.000Z',
          registration: null,
          lastInvite: { at: '2026-01-05T09:09:12.480Z', source: '198.41.0.4', number: '+442071838750' },
          refusals: [
            {
              id: 91,
              at: '2026-01-05T08:51:03.112Z',
              status: 404,
              source: '198.41.0.4',
              number: '+442071838751',
              reason: 'No line has this number on the trunk.',
              code: 'number_without_line',
              fix: 'Create a line with this number on the trunk, or correct the number rules of the trunk.',
              field: 'address',
              docs: '/docs/failures#number-without-line',
              hasLadder: true,
            },
          ],
          pingSeconds: PING_SECONDS,
        },
      },
    },
  }),
  testTrunk: defineEndpoint({
    method: 'POST',
    path: `${path}/test`,
    summary:
      'Sends a ping to the carrier of one of your own trunks and checks the trunk: DNS, connection, certificate, credentials, registration, codecs and addresses. Allowed once every 10 seconds.',
    answer: {
      status: 200,
      body: z.strictObject({ ping: pingResource, checkup: z.array(trunkCheckResource) }),
    },
    errors: ['not_found', 'too_soon', 'sip_unavailable', 'idempotency_key_in_use', 'idempotency_key_reused'],
    role: 'provision',
    oneTenantSession: false,
    example: {
      path: pathExample,
      answer: {
        ping: pingExample,
        checkup: [
          {
            check: 'DNS',
            result: 'OK',
            text: 'The host name has the address 198.41.0.4.',
            ...noFailure,
            details: { addresses: ['198.41.0.4'] },
          },
          {
            check: 'CODECS',
            result: 'WARNING',
            text: 'The carrier lists no codec of the trunk.',
            code: 'no_shared_codec',
            fix: 'Add a codec of the carrier to the trunk.',
            field: 'codecs',
            docs: '/docs/failures#no-shared-codec',
            details: { carrier: ['G729'], trunk: ['PCMA', 'PCMU'] },
          },
        ],
      },
    },
  }),
};
