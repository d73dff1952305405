/**
 * Media facts that could not be processed, for the operator. Their number per media node is limited, and the worker deletes them by age.
 */
import { storableText } from '@clarion/protocol/storable-text';
import type { Database, FailedFact, Tx } from '@clarion/db';
import { toJson } from './stored.ts';

/** The oldest of a media node are deleted when it has more. */
export const MAX_FAILED_FACTS_PER_NODE = 1_000;
/** The statistics of a leg are about 1 kB. */
const MAX_PAYLOAD_CHARS = 8_000;
/** The cause is at the end of a message of Prisma, whose beginning quotes code. */
const MAX_ERROR_CHARS = 1_000;
const KEPT_MS = 30 * 24 * 60 * 60_000;

/**
 * IGNORED: invalid, perhaps of a later version. NOTHING_TO_END: its call was not live or does not have the leg. LEG_ENDED: the call continues without the leg. CALL_ENDED: the call has
 * ended. NOT_ENDED: the call could not be ended, and the operator must look at it.
 */
export type FailedFactOutcome = 'IGNORED' | 'NOTHING_TO_END' | 'LEG_ENDED' | 'CALL_ENDED' | 'NOT_ENDED';

export interface NewFailedFact {
  factId: string;
  mediaNodeId: string;
  realtimeNodeId: string;
  fact: string;
  callId: number | null;
  legId: string;
  error: unknown;
  /** Null for an invalid fact, whose fields are not known to be free of numbers and digits. */
  payload: Record<string, unknown> | null;
  outcome: FailedFactOutcome;
}

/** Stores one fact. A repetition of it changes nothing. */
export async function recordFailedFact(db: Database, failed: NewFailedFact, now: Date): Promise<void> {
  const { error, payload, ...row } = failed;
  await db.failedFact.createMany({
    data: [{ ...row, at: now, error: textOf(error), ...storablePayload(payload) }],
    skipDuplicates: true,
  });
  await db.$executeRaw`
    delete from "FailedFact" where "mediaNodeId" = ${failed.mediaNodeId} and "id" <= (
      select "id" from "FailedFact" where "mediaNodeId" = ${failed.mediaNodeId}
      order by "id" desc offset ${MAX_FAILED_FACTS_PER_NODE} limit 1)`;
}

const textOf = (error: unknown): string =>
  storableText((error instanceof Error ? error.message : String(error)).trim().slice(-MAX_ERROR_CHARS));

/** The digits that a caller presses may be a card number. */
function storablePayload(payload: Record<string, unknown> | null) {
  if (!payload) return {};
  const { digit: _, ...rest } = payload;
  return JSON.stringify(rest).length > MAX_PAYLOAD_CHARS ? {} : { payload: toJson(rest) };
}

/** The newest first. */
export async function listFailedFacts(db: Tx, limit: number): Promise<FailedFact[]> {
  return db.failedFact.findMany({ orderBy: { id: 'desc' }, take: limit });
}

/** @returns how many were deleted */
export async function pruneFailedFacts(db: Database, now: Date): Promise<number> {
  const { count } = await db.failedFact.deleteMany({
    where: { at: { lt: new Date(now.getTime() - KEPT_MS) } },
  });
  return count;
}
