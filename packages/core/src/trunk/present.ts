/** Trunk row → resource. A platform trunk shows four fields. */
import { numberRules, techPrefixes } from '@clarion/protocol';
import type { OwnTrunkResource, ShownTrunk, TrunkResource } from '@clarion/protocol/v1/tenant/trunks';
import type { SipTrunk } from '@clarion/db';

const iso = (at: Date | null) => at?.toISOString() ?? null;

/** `ingressDomain` is the platform's; without one a call's source address names its trunk. */
export function presentTrunk(trunk: SipTrunk, ingressDomain: string | null): TrunkResource {
  const { id, name, status } = trunk;
  if (trunk.consumerId === null) return { id, name, owner: 'PLATFORM', status };
  return presentOwnTrunk(trunk, ingressDomain);
}

/** What somebody of one tenant sees of one of the consumer's own trunks (docs/requirements.md#trunks). */
export const presentTrunkSummary = ({ id, name, status }: SipTrunk): ShownTrunk => ({
  id,
  name,
  owner: 'CONSUMER',
  status,
});

/** The same for a trunk that is known to be a consumer's. */
export function presentOwnTrunk(trunk: SipTrunk, ingressDomain: string | null): OwnTrunkResource {
  const { id, name, status } = trunk;
  return {
    id,
    name,
    owner: 'CONSUMER',
    status,
    host: trunk.host,
    port: trunk.port,
    transport: trunk.transport,
    inboundSourceCidrs: trunk.inboundSourceCidrs,
    ingressHost: ingressHostOf(trunk, ingressDomain),
    ingressHostOnly: trunk.ingressHostOnly,
    numberRules: presentNumberRules(trunk.numberRules),
    techPrefixes: trunk.techPrefixes === null ? null : techPrefixes.parse(trunk.techPrefixes),
    codecs: trunk.codecs.length === 0 ? null : trunk.codecs,
    hasCredentials: trunk.passwordSealed !== null,
    reviewNote: trunk.reviewNote,
    submittedAt: iso(trunk.submittedAt),
    reviewedAt: iso(trunk.reviewedAt),
    createdAt: trunk.createdAt.toISOString(),
    buyDeckId: null,
    inboundBuyDeckId: null,
    templateId: null,
    followTemplate: false,
  };
}

export const ingressHostOf = (trunk: Pick<SipTrunk, 'ingressLabel'>, ingressDomain: string | null) =>
  ingressDomain === null ? null : `${trunk.ingressLabel}.${ingressDomain}`;

function presentNumberRules(stored: unknown) {
  if (stored === null) return null;
  const { countryCode, nationalPrefix } = numberRules.parse(stored);
  return {
    country_code: countryCode,
    ...(nationalPrefix !== undefined && { national_prefix: nationalPrefix }),
  };
}
