/** SIP trunks as a consumer sees them (docs/requirements.md#trunks). */
import { z } from 'zod';
import { numberRules, prefixPurposes } from '../../json.ts';
import { defineEndpoint } from '../endpoint.ts';
import { id, timestamp } from '../fields/fields.ts';

export const trunkStatuses = ['DRAFT', 'PENDING', 'ACTIVE', 'DISABLED', 'SUSPENDED'] as const;
export const trunkTransports = ['UDP', 'TCP', 'TLS'] as const;
export const selfServiceModes = ['OFF', 'APPROVAL', 'AUTO'] as const;

const summaryShape = { id, name: z.string(), status: z.enum(trunkStatuses) };
/** A platform trunk is shown with these four fields only. */
export const platformTrunkResource = z.strictObject({ ...summaryShape, owner: z.literal('PLATFORM') });
export const ownTrunkResource = z
  .strictObject({
    ...summaryShape,
    owner: z.literal('CONSUMER'),
    host: z.string(),
    port: z.number().int(),
    transport: z.enum(trunkTransports),
    inboundSourceCidrs: z.array(z.string()),
    ingressHost: z.string().nullable(),
    ingressHostOnly: z.boolean(),
    numberRules: z
      .strictObject({
        country_code: numberRules.shape.countryCode,
        national_prefix: numberRules.shape.nationalPrefix,
      })
      .nullable(),
    techPrefixes: z
      .strictObject({
        inbound: z.array(z.strictObject({ prefix: z.string(), purpose: z.enum(prefixPurposes) })).optional(),
        outbound: z.string().optional(),
        redirect: z.string().optional(),
      })
      .nullable(),
    /** Null means G.711. */
    codecs: z.array(z.string()).nullable(),
    hasCredentials: z.boolean(),
    reviewNote: z.string().nullable(),
    submittedAt: timestamp.nullable(),
    reviewedAt: timestamp.nullable(),
    createdAt: timestamp,
    buyDeckId: id.nullable(),
    inboundBuyDeckId: id.nullable(),
    templateId: id.nullable(),
    followTemplate: z.boolean(),
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
