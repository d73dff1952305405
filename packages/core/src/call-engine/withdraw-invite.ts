/**
 * An INVITE that got its final response without the engine's decision must not become a call, whatever the order in which media and the
 * engine learn of it. The withdrawal is a row keyed by the INVITE, and a trigger on Call rejects a call of a withdrawn INVITE (the migration
 * `admission`). Both take a lock on the INVITE, so one of them always sees the other.
 */
import { mediaCallIdOf } from '@clarion/protocol/media';
import type { InviteRequest, LegEnd } from '@clarion/protocol/media';
import type { Database } from '@clarion/db';
import { findLine } from './match-trunk.ts';
import type { LineContext } from './match-trunk.ts';
import { recordRefusal, refusalReason } from './refusal.ts';
import type { Refusal, RefusalReason } from './refusal.ts';
import { TRANSACTION_LIMITS } from '../transaction-limits.ts';

interface WithdrawalContext extends LineContext {
  /** Whether this refusal is stored: their number is limited. */
  mayRecord: (refusal: Refusal) => boolean;
}

export interface Withdrawal {
  request: InviteRequest;
  /** Why media responded without a decision. */
  why: RefusalReason;
}

/** RFC 3261 section 21.4.25: the response to a cancelled INVITE. */
const REQUEST_TERMINATED = 487;
const SERVICE_UNAVAILABLE = 503;
/** How long a withdrawal is kept. A decision takes seconds, and TRANSACTION_LIMITS ends a transaction that takes longer. */
const KEPT_MS = 24 * 60 * 60_000;

/**
 * Stores the withdrawal and, if the INVITE has become no call, its refusal for the diagnostics of the trunk. A repetition changes nothing.
 *
 * @returns the call that the INVITE has become, which the caller ends (a forwarded one by media's ID of it); null: none, and it will never
 *   become one
 */
export async function withdrawInvite(
  context: WithdrawalContext,
  { request, why }: Withdrawal,
  now: Date,
): Promise<number | null> {
  const { db, mayRecord } = context;
  const { inviteId } = request;
  const refusal = await undecidedRefusal(context, request, why);
  return db.$transaction(async (tx) => {
    const { count } = await tx.withdrawnInvite.createMany({
      data: [{ inviteId, at: now }],
      skipDuplicates: true,
    });
    const call = await tx.call.findUnique({ where: { inviteId }, select: { id: true } });
    if (call) return call.id;
    const forwarded = await tx.forwardedCall.findUnique({ where: { inviteId }, select: { id: true } });
    if (forwarded) return mediaCallIdOf(forwarded);
    if (count > 0 && mayRecord(refusal)) await recordRefusal(tx, refusal, request, now);
    return null;
  }, TRANSACTION_LIMITS);
}

/**
 * Stores the refusal of an INVITE that media rejected itself, for the diagnostics of the trunk. A repetition stores nothing: the INVITE
 * counts as withdrawn.
 */
export async function recordMediaRefusal(
  context: WithdrawalContext,
  { request, why }: Withdrawal,
  now: Date,
): Promise<void> {
  const refusal = await undecidedRefusal(context, request, why);
  if (!context.mayRecord(refusal)) return;
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.withdrawnInvite.createMany({
      data: [{ inviteId: request.inviteId, at: now }],
      skipDuplicates: true,
    });
    if (count > 0) await recordRefusal(tx, refusal, request, now);
  }, TRANSACTION_LIMITS);
}

/** The refusal of an INVITE on which the service did not decide, for the trunk that it arrived on. */
export async function undecidedRefusal(
  context: LineContext,
  request: InviteRequest,
  why: RefusalReason,
): Promise<Refusal> {
  const found = await findLine(context, request);
  const known = !('reason' in found);
  return {
    trunkIds: known ? [found.trunk.id] : found.trunkIds,
    ...why,
    unknownSource: !known && found.unknownSource,
    ambiguous: false,
  };
}

/** Why an INVITE was withdrawn, from how media ended it. */
export const withdrawalReason = (end: LegEnd): RefusalReason =>
  end.cause === 'remote-cancel'
    ? refusalReason(REQUEST_TERMINATED, 'caller_cancelled')
    : refusalReason(end.sipStatus ?? SERVICE_UNAVAILABLE, end.reason ?? 'no_decision');

/** @returns how many were deleted */
export async function pruneWithdrawnInvites(db: Database, now: Date): Promise<number> {
  const { count } = await db.withdrawnInvite.deleteMany({
    where: { at: { lt: new Date(now.getTime() - KEPT_MS) } },
  });
  return count;
}
