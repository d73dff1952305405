/**
 * Marks recordings as failed that will not arrive: their media node is gone with its disk, or never received the command to record. One
 * that arrives after all is stored (finish-recording.ts).
 */
import type { Database } from '@clarion/db';
import { failRecording } from './finish-recording.ts';

/** How long after its call a recording may arrive. The store may be unavailable for a night. */
export const RECORDING_ARRIVAL_MS = 24 * 60 * 60_000;
/** Recordings per sweep. The next one continues. */
const SWEEP_MAX = 500;
const REASON = 'The recording did not arrive within 24 hours of the end of its call.';

/** Resolves with the number of recordings marked as failed. */
export async function sweepRecordings(db: Database, now: Date): Promise<number> {
  const endedBefore = new Date(now.getTime() - RECORDING_ARRIVAL_MS);
  const overdue = await db.recording.findMany({
    where: { status: { in: ['RECORDING', 'PROCESSING'] }, call: { endedAt: { lt: endedBefore } } },
    orderBy: { id: 'asc' },
    take: SWEEP_MAX,
    select: { callId: true },
  });
  for (const { callId } of overdue) await failRecording(db, { callId, reason: REASON }, now);
  return overdue.length;
}
