/** Finds the trunk and the line of an INVITE (docs/requirements.md#trunks). */
import type { FailureCode } from '@clarion/protocol';
import type { InviteRequest } from '@clarion/protocol/media';
import type { Database } from '@clarion/db';
import { readCalled } from '../numbers/trunk-numbers.ts';
import { loadLines, loadTrunks } from '../call-store/load-invite.ts';
import type { CalledLine, CandidateTrunk } from '../call-store/load-invite.ts';
import { stepSqlOf } from '../call-store/step-sql.ts';
import { isDialable } from '../numbers/prefix-rules.ts';
import { listsSource, plainAddress, prefixesOf, rulesOf } from './candidate-trunk.ts';
import type { PrefixCandidate } from './candidate-trunk.ts';
import { filterCall } from './filter-call.ts';
import type { Redirection } from './filter-call.ts';
import { forwardCall } from './forward-call.ts';
import type { Forwarding } from './forward-call.ts';
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

/**
 * Finds the trunk by ingress host, by the contact that it registered or by source address, and the line with the called number, or what the
 * operator's rules for tech prefixes decide.
 */
export async function findLine(
  { db, ingressDomain, trunks: cache }: LineContext,
  question: InviteRequest,
): Promise<FoundLine | Forwarding | Redirection | Refusal> {
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

interface Candidate {
  trunk: CandidateTrunk;
  number: string;
}

/**
 * Trunks may share an address. The line with the called number then decides. If lines of several tenants have that number, none of them
 * receives the call. A call without a line goes to the operator's rules of the trunks on which it has a prefix for them.
 */
async function lineAmong(
  db: Database,
  trunks: [CandidateTrunk, ...CandidateTrunk[]],
  question: InviteRequest,
): Promise<FoundLine | Forwarding | Redirection | Refusal> {
  const calls = trunks.map((trunk) => ({ trunk, called: calledOn(trunk, question) }));
  const candidates = calls.flatMap(({ trunk, called }) =>
    called.to === 'line' ? [{ trunk, number: called.number }] : [],
  );
  const found = await linesOf(db, candidates);
  const [first] = found;
  if (!first) return withoutLine(db, calls, question);
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

async function withoutLine(
  db: Database,
  calls: readonly { trunk: CandidateTrunk; called: Called }[],
  question: InviteRequest,
): Promise<Forwarding | Redirection | Refusal> {
  const prefixed = (purpose: 'FORWARD' | 'FILTER') =>
    calls.flatMap(({ trunk, called }): PrefixCandidate[] =>
      called.to === purpose ? [{ trunk, prefix: called.prefix, rest: called.rest }] : [],
    );
  const decided =
    (await forwardCall(db, prefixed('FORWARD'), question)) ??
    (await filterCall(db, prefixed('FILTER'), question));
  if (decided) return 'why' in decided ? fromCarrier([decided.trunk.id], decided.why) : decided;
  const [first] = calls;
  if (!first) throw new Error('no trunk');
  return fromCarrier([first.trunk.id], whyNot(first.called));
}

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

type Called =
  | { to: 'line'; number: string }
  | { to: 'FORWARD' | 'FILTER'; prefix: string; rest: string }
  | { to: 'nothing'; why: RefusalReason };

function calledOn(trunk: CandidateTrunk, question: InviteRequest): Called {
  const users = [question.requestUser, question.toUser, question.divertedUser];
  const read = readCalled(users, { techPrefixes: prefixesOf(trunk), numberRules: rulesOf(trunk) });
  if (!read) {
    const reason = `The called number ${question.requestUser} is invalid.`;
    return { to: 'nothing', why: notFound('called_number_invalid', reason) };
  }
  const { number, prefix, rest } = read;
  if (prefix === null || prefix.purpose === 'PROCESS') {
    if (number !== null) return { to: 'line', number };
  } else if (isDialable(rest)) return { to: prefix.purpose, prefix: prefix.prefix, rest };
  const reason = `The tech prefix ${prefix?.prefix ?? ''} is not followed by a number.`;
  return { to: 'nothing', why: notFound('tech_prefix_without_number', reason) };
}

const notFound = (code: FailureCode, reason: string): RefusalReason => ({ status: NOT_FOUND, code, reason });

const ruleNames = { FORWARD: 'forwarding rule', FILTER: 'call filter' };

function whyNot(called: Called): RefusalReason {
  switch (called.to) {
    case 'line':
      return notFound('number_without_line', `No line has the number ${called.number}.`);
    case 'nothing':
      return called.why;
    case 'FORWARD':
    case 'FILTER': {
      const reason = `No ${ruleNames[called.to]} handles calls with the tech prefix ${called.prefix}.`;
      return notFound('tech_prefix_without_rule', reason);
    }
  }
}
