/** Finds the trunk and the line of an INVITE (docs/requirements.md#trunks). */
import { numberRules, techPrefixes } from '@clarion/protocol';
import type { FailureCode, NumberRules, TechPrefixes } from '@clarion/protocol';
import type { InviteRequest } from '@clarion/protocol/media';
import type { Database } from '@clarion/db';
import ipaddr from 'ipaddr.js';
import { readCalled } from '../numbers/trunk-numbers.ts';
import { loadLines, loadTrunks } from '../call-store/load-invite.ts';
import type { CalledLine, CandidateTrunk } from '../call-store/load-invite.ts';
import { stepSqlOf } from '../call-store/step-sql.ts';
import type { Refusal, RefusalReason } from './refusal.ts';
import type { TrunkCache } from './trunk-cache.ts';

export interface FoundLine {
  trunk: CandidateTrunk;
  line: CalledLine;
  /** E.164. */
  number: string;
}

const FORBIDDEN = 403;
const NOT_FOUND = 404;

const fromUnknownSource = (trunkIds: number[], code: FailureCode, reason: string): Refusal => ({
  trunkIds,
  status: FORBIDDEN,
  code,
  reason,
  unknownSource: true,
  ambiguous: false,
});
const fromCarrier = (trunkIds: number[], why: RefusalReason): Refusal => ({
  trunkIds,
  ...why,
  unknownSource: false,
  ambiguous: false,
});

export interface LineContext {
  db: Database;
  ingressDomain: string | null;
  /** Absent: trunks are read. */
  trunks?: TrunkCache;
}

/** Whether memory suffices to reject an INVITE, because no trunk has its source address. */
export function isFromUnknownSource(
  { ingressDomain, trunks }: Omit<LineContext, 'db'>,
  { source, requestHost }: InviteRequest,
): boolean {
  const address = plainAddress(source.address);
  if (address === null) return true;
  return ingressLabel(requestHost, ingressDomain) === null && (trunks?.hasNone(address) ?? false);
}

/** Finds the trunk by ingress host, by the contact that it registered or by source address, and the line with the called number. */
export async function findLine(
  { db, ingressDomain, trunks: cache }: LineContext,
  question: InviteRequest,
): Promise<FoundLine | Refusal> {
  const source = plainAddress(question.source.address);
  if (source === null) return fromUnknownSource([], 'source_invalid', 'The source address is invalid.');
  const { run } = stepSqlOf(db);
  const trunksOf = (ingress: string | null) =>
    cache ? cache.find(run, ingress, source) : loadTrunks(run, ingress, source);
  const label = ingressLabel(question.requestHost, ingressDomain);
  if (label !== null) {
    const [trunk] = await trunksOf(label);
    if (!trunk) {
      const host = question.requestHost;
      return fromUnknownSource([], 'ingress_host_unknown', `No trunk has the ingress host ${host}.`);
    }
    if (!allowsSource(trunk, source)) {
      const reason = `The source address ${source} does not belong to the trunk.`;
      return fromUnknownSource([trunk.id], 'source_not_of_trunk', reason);
    }
    if (trunk.status !== 'ACTIVE') return fromCarrier([trunk.id], notActive([trunk]));
    return lineAmong(db, [trunk], question);
  }
  const candidates = await trunksOf(null);
  const named = candidates.find(
    ({ ingressLabel: contact }) => contact === question.requestUser.toLowerCase(),
  );
  if (named) {
    return named.status === 'ACTIVE'
      ? lineAmong(db, [named], question)
      : fromCarrier([named.id], notActive([named]));
  }
  // The address of a registrar serves other customers of the carrier too, so without our contact it selects no trunk.
  const known = candidates.filter((trunk) => listsSource(trunk, source));
  const trunks = known.filter(({ status }) => status === 'ACTIVE');
  if (trunks.length === 0) {
    if (known.length === 0)
      return fromUnknownSource([], 'source_unknown', `No active trunk has the source address ${source}.`);
    // Anyone can list an address on a trunk that is not active, so its calls count as those of an unknown source.
    const ids = known.map(({ id }) => id);
    return { ...fromCarrier(ids, notActive(known)), unknownSource: true };
  }
  const [open, ...others] = trunks.filter(({ ingressHostOnly }) => !ingressHostOnly);
  if (open) return lineAmong(db, [open, ...others], question);
  return fromCarrier(
    trunks.map(({ id }) => id),
    {
      status: FORBIDDEN,
      code: 'ingress_host_required',
      reason:
        "The trunk shares source addresses with another owner's trunk, so the carrier must send calls to its ingress host.",
    },
  );
}

function notActive(trunks: readonly CandidateTrunk[]): RefusalReason {
  const [status, ...others] = [...new Set(trunks.map((trunk) => trunk.status))];
  const reason =
    others.length === 0
      ? `The trunk is ${status}.`
      : 'None of the trunks with this source address is active.';
  return { status: FORBIDDEN, code: 'trunk_not_active', reason };
}

/**
 * Converts an IPv4-mapped IPv6 address to IPv4 and removes the zone of a link-local address (RFC 4007, section 11), which names an
 * interface of the gateway's host. Null if it is not an address.
 */
function plainAddress(text: string): string | null {
  const [address = ''] = text.split('%');
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : null;
}

interface Candidate {
  trunk: CandidateTrunk;
  number: string;
}

/**
 * Trunks may share an address. The line with the called number then decides. If lines of several tenants have that number, none of them
 * receives the call.
 */
async function lineAmong(
  db: Database,
  trunks: [CandidateTrunk, ...CandidateTrunk[]],
  question: InviteRequest,
): Promise<FoundLine | Refusal> {
  const candidates = trunks.flatMap((trunk) => {
    const called = calledOn(trunk, question);
    return 'number' in called ? [{ trunk, number: called.number }] : [];
  });
  const found = await linesOf(db, candidates);
  const [first] = found;
  if (!first) {
    const [trunk] = trunks;
    const called = calledOn(trunk, question);
    return fromCarrier([trunk.id], 'number' in called ? noLine(called.number) : called);
  }
  if (found.every(({ line }) => line.tenantId === first.line.tenantId)) return first;
  return {
    trunkIds: found.map(({ trunk }) => trunk.id),
    status: NOT_FOUND,
    code: 'number_ambiguous',
    reason: `Lines of several tenants have the called number ${question.requestUser} on trunks with this source address, so the carrier must send calls to the ingress host of each trunk.`,
    unknownSource: false,
    ambiguous: true,
  };
}

const noLine = (number: string): RefusalReason => ({
  status: NOT_FOUND,
  code: 'number_without_line',
  reason: `No line has the number ${number}.`,
});

/** In the order of the candidates, with one query for all of them. */
async function linesOf(db: Database, candidates: Candidate[]): Promise<FoundLine[]> {
  if (candidates.length === 0) return [];
  const wanted = candidates.map(({ trunk, number }) => ({ trunkId: trunk.id, number }));
  const lines = await loadLines(stepSqlOf(db).run, wanted);
  return candidates.flatMap(({ trunk, number }) => {
    const line = lines.find(({ sipTrunkId }) => sipTrunkId === trunk.id);
    return line ? [{ trunk, line, number }] : [];
  });
}

function ingressLabel(host: string, domain: string | null): string | null {
  if (!domain) return null;
  const name = host.toLowerCase().replace(/\.$/, '');
  const suffix = `.${domain.toLowerCase()}`;
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : null;
}

/** Calls to the trunk's own host or contact may also come from the address at which it is registered. */
const allowsSource = (trunk: CandidateTrunk, source: string): boolean =>
  trunk.registeredAddress === source || listsSource(trunk, source);

function listsSource(trunk: CandidateTrunk, source: string): boolean {
  const address = ipaddr.process(source);
  return trunk.inboundSourceCidrs.some((cidr) => {
    const [network, bits] = cidr.includes('/') ? ipaddr.parseCIDR(cidr) : [ipaddr.parse(cidr), null];
    if (network.kind() !== address.kind()) return false;
    return address.match(network, bits ?? (network.kind() === 'ipv4' ? 32 : 128));
  });
}

export const rulesOf = (trunk: Pick<CandidateTrunk, 'numberRules'>): NumberRules | null =>
  numberRules.nullable().parse(trunk.numberRules);
const prefixesOf = (trunk: CandidateTrunk): TechPrefixes | null =>
  techPrefixes.nullable().parse(trunk.techPrefixes);

function calledOn(trunk: CandidateTrunk, question: InviteRequest): { number: string } | RefusalReason {
  const users = [question.requestUser, question.toUser, question.divertedUser];
  const read = readCalled(users, { techPrefixes: prefixesOf(trunk), numberRules: rulesOf(trunk) });
  const refused = (code: FailureCode, reason: string): RefusalReason => ({ status: NOT_FOUND, code, reason });
  if (!read) return refused('called_number_invalid', `The called number ${question.requestUser} is invalid.`);
  const { number, prefix } = read;
  if (prefix && prefix.purpose !== 'PROCESS') {
    const what = prefix.purpose === 'FORWARD' ? 'forwarding rule' : 'call filter';
    const reason = `No ${what} handles calls with the tech prefix ${prefix.prefix}.`;
    return refused('tech_prefix_without_rule', reason);
  }
  if (number === null) {
    const reason = `The tech prefix ${prefix?.prefix ?? ''} is not followed by a number.`;
    return refused('tech_prefix_without_number', reason);
  }
  return { number };
}
