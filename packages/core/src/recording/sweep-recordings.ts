/**
 * Gives up recordings that nobody will bring any more: of a media node that is gone with its disk, or of a call whose media never
 * heard that it was recorded. One that arrives after all is taken (finish-recording.ts).
 */
import type { Database } from '@clarion/db';
import { failRecording } from './finish-recording.ts';

/** A recording has this long after its call to arrive: a store may be away for a night. */
export const RECORDING_GIVEN_UP_AFTER_MS = 24 * 60 * 60_000;
/** Recordings of one sweep; the next one goes on. */
const SWEEP_MAX = 500;
const REASON = 'The recording did not arrive within 24 hours of the end of its call.';

/** Resolves with how many it gave up. */
export async function sweepRecordings(db: Database, now: Date): Promise<number> {
  const endedBefore = new Date(now.getTime() - RECORDING_GIVEN_UP_AFTER_MS);
  const overdue = await db.recording.findMany({
    where: { status: { in: ['RECORDING', 'PROCESSING'] }, call: { endedAt: { lt: endedBefore } } },
    orderBy: { id: 'asc' },
    take: SWEEP_MAX,
    select: { callId: true },
  });
  for (const { callId } of overdue) await failRecording(db, { callId, reason: REASON }, now);
  return overdue.length;
}
