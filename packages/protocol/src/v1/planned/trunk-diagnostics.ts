/** Diagnostics and the test of a consumer's own trunk. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { timestamp } from '../fields/fields.ts';

/** The most rejected calls of the last 7 days that are listed (docs/requirements.md#limits). */
const MAX_REFUSALS = 50;

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
const pingExample = {
  up: true,
  status: 200,
  reason: 'OK',
  rttMs: 18,
  error: null,
  at: '2026-01-05T09:10:00.000Z',
  target: 'sip:sip.carrier.example:5060;transport=udp',
};

const path = '/v1/sip-trunks/{trunkId}';
const pathExample = { trunkId: 7 };

export const trunkDiagnosticsEndpoints = {
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
    errors: ['not_found', 'too_soon', 'sip_unavailable', 'idempotency_key_in_use', 'idempotency_key_reused'],
    role: 'provision',
    oneTenantSession: false,
    example: { path: pathExample, answer: { ping: pingExample } },
  }),
};
