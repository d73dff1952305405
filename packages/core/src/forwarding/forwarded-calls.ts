/**
 * Calls that a forwarding rule sends from one trunk to another (docs/requirements.md#trunks). Every change is conditional, so that a repeated
 * fact changes nothing and each call ends once.
 */
import type { Database, ForwardedCall, ForwardedCallEnd, Tx } from '@clarion/db';
import type { InviteRequest } from '@clarion/protocol/media';
import { TOO_MANY_CALLS_OF_TRUNK, trunkCallLimitReached } from '../call-store/commit-step.ts';
import { isUniqueViolation, sqlStateOf } from '../sql-state.ts';

/** docs/requirements.md#trunks. */
const KEPT_MS = 90 * 24 * 60 * 60_000;
const MAX_CHARS = 191;

export interface NewForwardedCall {
  trunkId: number;
  toTrunkId: number;
  /** E.164, or as the carrier sent it; null: withheld. */
  caller: string | null;
  called: string;
  outLegId: string;
  /** Those of the two trunks that have a limit of concurrent calls. */
  limitedTrunkIds: number[];
}

/**
 * @returns `isNew` false: another node was faster with the same INVITE. Null: the INVITE was withdrawn, or the call has ended already
 * @throws trunkCallLimitReached
 */
export async function beginForwardedCall(
  db: Database,
  { trunkId, toTrunkId, caller, called, outLegId, limitedTrunkIds }: NewForwardedCall,
  { inviteId, mediaNodeId, legId }: InviteRequest,
  now: Date,
): Promise<{ call: ForwardedCall; isNew: boolean } | null> {
  const shownCaller = caller?.slice(0, MAX_CHARS) ?? null;
  try {
    const [call] = await db.$queryRaw<ForwardedCall[]>`
      insert into "ForwardedCall"
        ("inviteId", "mediaNodeId", "inLegId", "outLegId", "startedAt", "trunkId", "toTrunkId", "caller", "called", "limitedTrunkIds")
      values (${inviteId}::uuid, ${mediaNodeId}, ${legId}, ${outLegId}, ${now}, ${trunkId}, ${toTrunkId}, ${shownCaller}, ${called}, ${limitedTrunkIds})
      returning *`;
    return call ? { call, isNew: true } : null;
  } catch (error) {
    if (sqlStateOf(error) === TOO_MANY_CALLS_OF_TRUNK) throw trunkCallLimitReached();
    if (!isUniqueViolation(error)) throw error;
    const call = await db.forwardedCall.findUnique({ where: { inviteId } });
    return call && call.state !== 'ENDED' ? { call, isNew: false } : null;
  }
}

/** The called person has answered. @returns null if the call has ended */
export async function answerForwardedCall(db: Database, id: number, at: Date): Promise<ForwardedCall | null> {
  await db.forwardedCall.updateMany({
    where: { id, state: 'RINGING' },
    data: { state: 'ANSWERED', answeredAt: at },
  });
  const call = await db.forwardedCall.findUnique({ where: { id } });
  return call?.state === 'ANSWERED' ? call : null;
}

export interface ForwardEnding {
  endedBy: ForwardedCallEnd;
  /** Why, in words. */
  reason: string;
  /** The final response to a caller who was not answered. */
  sipStatus: number;
}

/** @returns the call as it ended now, or null if it had ended before or does not exist */
export async function endForwardedCall(
  db: Database,
  id: number,
  { endedBy, reason, sipStatus }: ForwardEnding,
  at: Date,
): Promise<ForwardedCall | null> {
  const [ended] = await db.$queryRaw<ForwardedCall[]>`
    update "ForwardedCall" set "state" = 'ENDED', "limitedTrunkIds" = '{}', "endedAt" = ${at}, "endedBy" = ${endedBy}::"ForwardedCallEnd", "reason" = ${reason},
      "sipStatus" = case when "state" = 'RINGING' then ${sipStatus}::int end
    where "id" = ${id} and "state" <> 'ENDED' returning *`;
  return ended ?? null;
}

/** Of those IDs, or all of a media node. */
export const liveForwardedCalls = (
  db: Database,
  which: { ids: number[] } | { mediaNodeId: string },
): Promise<ForwardedCall[]> =>
  db.forwardedCall.findMany({
    where: {
      state: { not: 'ENDED' },
      ...('ids' in which ? { id: { in: which.ids } } : { mediaNodeId: which.mediaNodeId }),
    },
  });

/** The latest first. */
export const listForwardedCalls = (
  { db }: { db: Pick<Database, 'forwardedCall'> },
  { trunkId, limit }: { trunkId: number | null; limit: number },
): Promise<ForwardedCall[]> =>
  db.forwardedCall.findMany({
    where: trunkId === null ? {} : { OR: [{ trunkId }, { toTrunkId: trunkId }] },
    orderBy: { id: 'desc' },
    take: limit,
  });

/** Removes the person from the calls that came in on the account's own trunks. */
export async function eraseForwardedCalls(db: Tx, consumerId: number, addresses: string[]): Promise<void> {
  const trunk = { consumerId };
  await db.forwardedCall.updateMany({ where: { trunk, caller: { in: addresses } }, data: { caller: null } });
  await db.forwardedCall.updateMany({ where: { trunk, called: { in: addresses } }, data: { called: null } });
}

/** @returns how many were deleted */
export async function pruneForwardedCalls(db: Database, now: Date): Promise<number> {
  const { count } = await db.forwardedCall.deleteMany({
    where: { startedAt: { lt: new Date(now.getTime() - KEPT_MS) }, state: 'ENDED' },
  });
  return count;
}
