/** Trunk and template rows → resources. A platform trunk shows four fields. */
import {
  numberRules,
  techPrefixes,
  trunkDestination,
  trunkPing,
  trunkQuirks,
  trunkRegistration,
} from '@clarion/protocol';
import type { CarrierTemplateResource } from '@clarion/protocol/v1/tenant/carrier-templates';
import type { OwnTrunkResource, ShownTrunk, TrunkResource } from '@clarion/protocol/v1/tenant/trunks';
import type { CarrierTemplate, Prisma, SipTrunk } from '@clarion/db';

export const withState = {
  state: { select: { ping: true, registration: true } },
} satisfies Prisma.SipTrunkInclude;
export type TrunkRow = Prisma.SipTrunkGetPayload<{ include: typeof withState }>;

const iso = (at: Date | null) => at?.toISOString() ?? null;

/** `ingressDomain` is the platform's. Without one, a call's source address selects its trunk. */
export function presentTrunk(trunk: TrunkRow, ingressDomain: string | null): TrunkResource {
  const { id, name, status } = trunk;
  if (trunk.consumerId === null) return { id, name, owner: 'PLATFORM', status };
  return presentOwnTrunk(trunk, ingressDomain);
}

/** A consumer's own trunk as shown to a person of one tenant (docs/requirements.md#trunks). */
export const presentTrunkSummary = ({ id, name, status }: SipTrunk): ShownTrunk => ({
  id,
  name,
  owner: 'CONSUMER',
  status,
});

/** The same for a trunk that is known to be a consumer's. */
export function presentOwnTrunk(trunk: TrunkRow, ingressDomain: string | null): OwnTrunkResource {
  const { id, name, status, state } = trunk;
  return {
    id,
    name,
    owner: 'CONSUMER',
    status,
    ...presentCarrierSettings(trunk),
    ingressHost: ingressHostOf(trunk, ingressDomain),
    ingressHostOnly: trunk.ingressHostOnly,
    techPrefixes: techPrefixes.nullable().parse(trunk.techPrefixes),
    maxCalls: trunk.maxCalls,
    callsPerSecond: trunk.callsPerSecond,
    hasCredentials: trunk.username !== null,
    reviewNote: trunk.reviewNote,
    submittedAt: iso(trunk.submittedAt),
    reviewedAt: iso(trunk.reviewedAt),
    createdAt: trunk.createdAt.toISOString(),
    buyDeckId: trunk.buyDeckId,
    inboundBuyDeckId: trunk.inboundBuyDeckId,
    templateId: trunk.templateId,
    followTemplate: trunk.followTemplate,
    registration: trunk.register ? trunkRegistration.nullable().parse(state?.registration ?? null) : null,
    up: trunkPing.nullable().parse(state?.ping ?? null)?.up ?? null,
  };
}

export const presentTemplate = (template: CarrierTemplate): CarrierTemplateResource => ({
  id: template.id,
  name: template.name,
  ...presentCarrierSettings(template),
  notes: template.notes,
});

export const presentCarrierSettings = (row: SipTrunk | CarrierTemplate) => ({
  host: row.host,
  port: row.port,
  transport: row.transport,
  inboundSourceCidrs: row.inboundSourceCidrs,
  numberRules: presentNumberRules(row.numberRules),
  codecs: row.codecs.length === 0 ? null : row.codecs,
  destinations: trunkDestination.array().parse(row.destinations),
  register: row.register,
  srtp: row.srtp,
  quirks: trunkQuirks.parse(row.quirks),
});

export const ingressHostOf = (trunk: Pick<SipTrunk, 'ingressLabel'>, ingressDomain: string | null) =>
  ingressDomain === null ? null : `${trunk.ingressLabel}.${ingressDomain}`;

function presentNumberRules(stored: unknown) {
  const rules = numberRules.nullable().parse(stored);
  if (rules === null) return null;
  const { countryCode, nationalPrefix } = rules;
  return {
    country_code: countryCode,
    ...(nationalPrefix !== undefined && { national_prefix: nationalPrefix }),
  };
}
