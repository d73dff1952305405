/** A recording lies in the store, or will never: what media said becomes the row, the event and the usage. */
import { enqueue } from '@clarion/db';
import type { Call, Database, Recording, Tx } from '@clarion/db';
import { isRecordingKeyOf } from '@clarion/store/file-key';
import type { StorageProvider } from '@clarion/store/driver';
import { presentCall } from '../call-record/present.ts';
import { recordCallEvent } from '../event/record-event.ts';
import { presentRecording } from './present.ts';
import { recordRecordingUsage } from '../usage/record-call-usage.ts';
import { TRANSACTION_LIMITS } from '../transaction-limits.ts';

export interface FinishedRecording {
  callId: number;
  storageProvider: StorageProvider;
  storageKey: string;
  sizeBytes: number;
  durationMs: number;
}

/**
 * taken: the row says so now. known: it did before; media says a fact until somebody has taken it. gone: the call was deleted or its
 * customer erased meanwhile, and the file goes the same way.
 */
export type RecordingTaken = 'taken' | 'known' | 'gone';

/** Also one that was given up may still arrive. */
export async function finishRecording(
  db: Database,
  finished: FinishedRecording,
  now: Date,
): Promise<RecordingTaken> {
  const { callId, storageProvider, storageKey, sizeBytes, durationMs } = finished;
  return db.$transaction(async (tx) => {
    const found = await lockRecording(tx, callId);
    if (!found || found.recording.storageKey !== storageKey) {
      // Of this call and no other: a media node that is mistaken about a name removes nothing that is not its own.
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
  }, TRANSACTION_LIMITS);
}

/** @param reason in words, for the consumer */
export async function failRecording(
  db: Database,
  { callId, reason }: { callId: number; reason: string },
  now: Date,
): Promise<RecordingTaken> {
  return db.$transaction(async (tx) => {
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
  }, TRANSACTION_LIMITS);
}

/** Tells the consumer how the recording came out: among its call's events, with the call as it is. */
function recordOutcome(
  tx: Tx,
  type: 'recording.completed' | 'recording.failed',
  { call, tenantRef, recording }: LockedRecording,
  now: Date,
): Promise<void> {
  const data = {
    call: presentCall(call, tenantRef, now),
    recording: { ...presentRecording(recording), callId: call.id },
  };
  return recordCallEvent(tx, { type, call, tenantRef, data, now });
}

interface LockedRecording {
  call: Call;
  tenantRef: string;
  recording: Recording;
}

/** Locked in the order call, recording, as whoever deletes them does (without-files.ts). */
async function lockRecording(tx: Tx, callId: number): Promise<LockedRecording | null> {
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
