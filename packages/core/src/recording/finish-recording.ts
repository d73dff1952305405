/** Stores the result of a recording as reported by media: the row, the event and the usage. */
import { enqueue } from '@clarion/db';
import type { Call, Database, Recording, Tx } from '@clarion/db';
import { isRecordingKeyOf } from '@clarion/store/file-key';
import type { StorageProvider } from '@clarion/store/driver';
import { presentCall } from '../call-record/present.ts';
import { recordCallEvent } from '../event/record-event.ts';
import { presentRecording } from './present.ts';
import { transact } from '../announce-deliveries.ts';
import { recordRecordingUsage } from '../usage/record-recording-usage.ts';

export interface FinishedRecording {
  callId: number;
  storageProvider: StorageProvider;
  storageKey: string;
  sizeBytes: number;
  durationMs: number;
}

/**
 * taken: stored now. known: it had been stored before, because media repeats a fact until it is acknowledged. gone: the call was deleted or
 * its customer erased meanwhile, so the file must be deleted too.
 */
export type RecordingTaken = 'taken' | 'known' | 'gone';

/** A recording that was given up may still arrive. */
export async function finishRecording(
  db: Database,
  finished: FinishedRecording,
  now: Date,
): Promise<RecordingTaken> {
  const { callId, storageProvider, storageKey, sizeBytes, durationMs } = finished;
  return transact(db, async (tx) => {
    const found = await lockRecording(tx, callId);
    if (!found || found.recording.storageKey !== storageKey) {
      // Only a key of this call is accepted, so that a wrong key from a media node cannot delete other files.
      if (isRecordingKeyOf(callId, storageKey)) {
        await enqueue(
          tx,
          'remove-file',
          { provider: storageProvider, key: storageKey },
          { key: `remove-file:${storageKey}` },
        );
      }
      return 'gone';
    }
    const { call, tenantRef, recording } = found;
    if (recording.status === 'COMPLETED') return 'known';
    const completed = await tx.recording.update({
      where: { callId },
      data: {
        status: 'COMPLETED',
        storageProvider,
        sizeBytes,
        durationSeconds: Math.round(durationMs / 1000),
        completedAt: now,
        failureReason: null,
      },
    });
    await recordRecordingUsage(tx, completed, now);
    await recordOutcome(tx, 'recording.completed', { call, tenantRef, recording: completed }, now);
    return 'taken';
  });
}

/** @param reason as a sentence for the consumer */
export async function failRecording(
  db: Database,
  { callId, reason }: { callId: number; reason: string },
  now: Date,
): Promise<RecordingTaken> {
  return transact(db, async (tx) => {
    const found = await lockRecording(tx, callId);
    if (!found) return 'gone';
    const { call, tenantRef, recording } = found;
    if (recording.status === 'COMPLETED' || recording.status === 'FAILED') return 'known';
    const failed = await tx.recording.update({
      where: { callId },
      data: { status: 'FAILED', failureReason: reason },
    });
    await recordOutcome(tx, 'recording.failed', { call, tenantRef, recording: failed }, now);
    return 'taken';
  });
}

/**
 * Records an event with the recording's outcome, in the order of the call's events. If the call is live, its next step is later: a step that
 * was loaded before conflicts, so that its rows and events have the same time.
 */
async function recordOutcome(
  tx: Tx,
  type: 'recording.completed' | 'recording.failed',
  { call, tenantRef, recording }: LockedRecording,
  now: Date,
): Promise<void> {
  const data = {
    call: presentCall(call, tenantRef, now),
    recording: { ...presentRecording(recording), callId: call.id },
  };
  await recordCallEvent(tx, { type, call, tenantRef, data, now });
  await tx.$executeRaw`
    update "LiveCall" set "version" = "version" + 1,
      "lastEventAt" = greatest(${now}::timestamptz, "lastEventAt" + interval '1 millisecond')
    where "callId" = ${call.id}`;
}

interface LockedRecording {
  call: Call;
  tenantRef: string;
  recording: Recording;
}

/** Locks are taken in the order live call, as in a step, then call, recording, as in without-files.ts. */
async function lockRecording(tx: Tx, callId: number): Promise<LockedRecording | null> {
  await tx.$queryRaw`select 1 from "LiveCall" where "callId" = ${callId} for update`;
  await tx.$queryRaw`select 1 from "Call" where "id" = ${callId} for update`;
  await tx.$queryRaw`select 1 from "Recording" where "callId" = ${callId} for update`;
  const recording = await tx.recording.findUnique({
    where: { callId },
    include: { call: { include: { tenant: { select: { ref: true } } } } },
  });
  if (!recording) return null;
  const {
    call: { tenant, ...call },
    ...row
  } = recording;
  return { call, tenantRef: tenant.ref, recording: row };
}
