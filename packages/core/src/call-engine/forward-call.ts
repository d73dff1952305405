/** Applies the operator's forwarding rules to an INVITE whose tech prefix has the purpose FORWARD (docs/requirements.md#trunks). */
import type { InviteRequest } from '@clarion/protocol/media';
import type { ConsumerStatus, Database } from '@clarion/db';
import type { CandidateTrunk } from '../call-store/load-invite.ts';
import { ruleFor } from '../numbers/prefix-rules.ts';
import { readCaller, toE164 } from '../numbers/trunk-numbers.ts';
import { rulesOf } from './candidate-trunk.ts';
import type { PrefixCandidate, RuleRejection } from './candidate-trunk.ts';
import { refusalReason } from './refusal.ts';

/** The call goes to a carrier on another trunk. */
export interface Forwarding {
  trunk: CandidateTrunk;
  toTrunkId: number;
  /** E.164, or as the carrier sent it; null: withheld. */
  caller: string | null;
  /** What follows the tech prefix, or the number of the rule. */
  called: string;
  /** The same in E.164; null: it is not a number, but a short code. */
  number: string | null;
  /** Those of the two trunks that have a limit of concurrent calls. */
  limitedTrunkIds: number[];
  /** Max-Forwards of the INVITE to the other carrier (RFC 7332). */
  maxForwards: number;
}

/** RFC 3261 section 8.1.1.6. */
const DEFAULT_MAX_FORWARDS = 70;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
/** RFC 3261 section 21.4.21. */
const TOO_MANY_HOPS = 483;

/** Where the rule of the first trunk that has one for this call sends it; null: none has. Reads the rules of all with one query. */
export async function forwardCall(
  db: Database,
  candidates: readonly PrefixCandidate[],
  question: InviteRequest,
): Promise<Forwarding | RuleRejection | null> {
  if (candidates.length === 0) return null;
  const { maxForwards = DEFAULT_MAX_FORWARDS } = question;
  const rules = await db.forwardingRule.findMany({
    where: { trunkId: { in: candidates.map(({ trunk }) => trunk.id) } },
    include: {
      trunk: { select: { consumer: { select: { status: true } } } },
      toTrunk: { select: { id: true, status: true, maxCalls: true, consumer: { select: { status: true } } } },
    },
    orderBy: { id: 'asc' },
  });
  for (const { trunk, prefix, rest } of candidates) {
    const caller = readCaller(question, rulesOf(trunk)).address;
    const ofTrunk = rules.filter(({ trunkId }) => trunkId === trunk.id);
    const rule = ruleFor(ofTrunk, { prefix, rest, caller });
    if (!rule) continue;
    if (maxForwards === 0) return { trunk, why: refusalReason(TOO_MANY_HOPS, 'too_many_hops') };
    if (isSuspended(rule.trunk)) return { trunk, why: refusalReason(FORBIDDEN, 'account_suspended') };
    if (rule.toTrunk.status !== 'ACTIVE' || isSuspended(rule.toTrunk))
      return { trunk, why: refusalReason(NOT_FOUND, 'forwarding_trunk_not_active') };
    const called = rule.toNumber ?? rest;
    const number = rule.toNumber ?? toE164(rest, rulesOf(trunk));
    const limited = [trunk, rule.toTrunk].filter(({ maxCalls }) => maxCalls !== null).map(({ id }) => id);
    return {
      trunk,
      toTrunkId: rule.toTrunkId,
      caller,
      called,
      number,
      limitedTrunkIds: [...new Set(limited)],
      maxForwards: maxForwards - 1,
    };
  }
  return null;
}

/** A platform trunk has no account. */
const isSuspended = ({ consumer }: { consumer: { status: ConsumerStatus } | null }): boolean =>
  consumer?.status === 'SUSPENDED';
