/** Applies the operator's call filters to an INVITE whose tech prefix has the purpose FILTER (docs/requirements.md#trunks). */
import { trunkDestination } from '@clarion/protocol';
import type { InviteRequest } from '@clarion/protocol/media';
import type { Database, SipTrunk } from '@clarion/db';
import type { CandidateTrunk } from '../call-store/load-invite.ts';
import { ruleFor } from '../numbers/prefix-rules.ts';
import { hostOf, hostPortOf, redirectUri } from '../numbers/redirect-uri.ts';
import { readCaller } from '../numbers/trunk-numbers.ts';
import { listsSource, plainAddress, prefixesOf, rulesOf } from './candidate-trunk.ts';
import type { PrefixCandidate, RuleRejection } from './candidate-trunk.ts';
import { refusalReason } from './refusal.ts';

/** The call goes back to the carrier, which sends it to `contact`. */
export interface Redirection {
  trunk: CandidateTrunk;
  filterId: number;
  /** A SIP URI. */
  contact: string;
}

/** RFC 3261 section 21.6.2: no other number of the callee is tried. */
const DECLINE = 603;

/** What the filter of the first trunk that has one for this call decides; null: none has. Reads the filters of all with one query. */
export async function filterCall(
  db: Database,
  candidates: readonly PrefixCandidate[],
  question: InviteRequest,
): Promise<Redirection | RuleRejection | null> {
  if (candidates.length === 0) return null;
  const filters = await db.callFilter.findMany({
    where: { trunkId: { in: candidates.map(({ trunk }) => trunk.id) } },
    include: { trunk: true },
    orderBy: { id: 'asc' },
  });
  for (const { trunk, prefix, rest } of candidates) {
    const caller = readCaller(question, rulesOf(trunk)).address;
    const ofTrunk = filters.filter(({ trunkId }) => trunkId === trunk.id);
    const filter = ruleFor(ofTrunk, { prefix, rest, caller });
    if (!filter) continue;
    return filter.action === 'REJECT'
      ? { trunk, why: refusalReason(DECLINE, 'call_filter') }
      : { trunk, filterId: filter.id, contact: contactOf(filter.trunk, rest, question) };
  }
  return null;
}

/** The host that the carrier calls from, if it is one of the trunk: a large carrier expects the call back at the same one. */
function contactOf(trunk: SipTrunk, rest: string, { contactHost = '', source }: InviteRequest): string {
  const hostPort = isOfTrunk(trunk, contactHost) ? contactHost : hostPortOf(trunk);
  return redirectUri(rest, { techPrefixes: prefixesOf(trunk), hostPort, transport: source.transport });
}

function isOfTrunk(trunk: SipTrunk, hostPort: string): boolean {
  const host = hostOf(hostPort);
  if (host === null) return false;
  const address = plainAddress(host);
  if (address !== null && listsSource(trunk, address)) return true;
  const known = [trunk, ...trunkDestination.array().parse(trunk.destinations)];
  return known.some((one) => hostOf(hostPortOf(one)) === host);
}
