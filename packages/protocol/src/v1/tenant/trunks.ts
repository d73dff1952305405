/** SIP trunks as a consumer sees them (docs/requirements.md#trunks). */
import { z } from 'zod';
import { prefixPurposes, trunkRegistration } from '../../json.ts';
import { defineEndpoint } from '../endpoint.ts';
import { id, timestamp } from '../fields/fields.ts';
import { carrierSettingsShape } from './carrier-settings.ts';

export const trunkStatuses = ['DRAFT', 'PENDING', 'ACTIVE', 'DISABLED', 'SUSPENDED'] as const;
export { trunkTransports } from './carrier-settings.ts';
export const selfServiceModes = ['OFF', 'APPROVAL', 'AUTO'] as const;

const summaryShape = { id, name: z.string(), status: z.enum(trunkStatuses) };
/** A platform trunk is shown with these four fields only. */
export const platformTrunkResource = z.strictObject({ ...summaryShape, owner: z.literal('PLATFORM') });
export const ownTrunkResource = z
  .strictObject({
    ...summaryShape,
    owner: z.literal('CONSUMER'),
    ...carrierSettingsShape,
    ingressHost: z.string().nullable(),
    ingressHostOnly: z.boolean(),
    techPrefixes: z
      .strictObject({
        inbound: z.array(z.strictObject({ prefix: z.string(), purpose: z.enum(prefixPurposes) })).optional(),
        outbound: z.string().optional(),
        redirect: z.string().optional(),
      })
      .nullable(),
    maxCalls: z.number().int().nullable(),
    callsPerSecond: z.number().int().nullable(),
    hasCredentials: z.boolean(),
    reviewNote: z.string().nullable(),
    submittedAt: timestamp.nullable(),
    reviewedAt: timestamp.nullable(),
    createdAt: timestamp,
    buyDeckId: id.nullable(),
    inboundBuyDeckId: id.nullable(),
    templateId: id.nullable(),
    followTemplate: z.boolean(),
    /** The registration with the carrier; null if the trunk does not register, and before the first attempt. */
    registration: z.strictObject(trunkRegistration.shape).nullable(),
    /** Whether the carrier responded to the latest ping; null before the first. */
    up: z.boolean().nullable(),
  })
  .meta({ id: 'OwnTrunk' });
export type OwnTrunkResource = z.infer<typeof ownTrunkResource>;
export const trunkResource = z.discriminatedUnion('owner', [platformTrunkResource, ownTrunkResource]);
export type TrunkResource = z.infer<typeof trunkResource>;

/** What a dashboard session of one tenant sees of an own trunk of the consumer. */
export const trunkSummaryResource = z.strictObject({ ...summaryShape, owner: z.literal('CONSUMER') });
const shownTrunk = z.union([trunkResource, trunkSummaryResource]);
export type ShownTrunk = z.infer<typeof shownTrunk>;

const example = { id: 1, name: 'platform-uk', owner: 'PLATFORM', status: 'ACTIVE' };

export const trunkEndpoints = {
  listTrunks: defineEndpoint({
    method: 'GET',
    path: '/v1/sip-trunks',
    summary: 'Lists your own trunks and the platform trunks, and whether you may add trunks (selfService).',
    answer: {
      status: 200,
      body: z.strictObject({ selfService: z.enum(selfServiceModes), trunks: z.array(shownTrunk) }),
    },
    errors: [],
    role: 'view',
    oneTenantSession: true,
    example: { answer: { selfService: 'APPROVAL', trunks: [example] } },
  }),
  getTrunk: defineEndpoint({
    method: 'GET',
    path: '/v1/sip-trunks/{trunkId}',
    summary: 'Returns one of your own trunks, or a platform trunk that your channels may use.',
    answer: { status: 200, body: z.strictObject({ trunk: shownTrunk }) },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: true,
    example: { path: { trunkId: 1 }, answer: { trunk: example } },
  }),
};
