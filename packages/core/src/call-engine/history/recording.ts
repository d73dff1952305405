/** The recording's row through the call: its file's place is decided here, once. What comes of it media tells (core/recording). */
import { randomUUID } from 'node:crypto';
import type { Tx } from '@clarion/db';
import { recordingKey } from '@clarion/store/file-key';

/** From the answer on. A call has one recording, however often it changes hands. */
export async function beginRecording(tx: Tx, callId: number): Promise<void> {
  const call = await tx.call.findUniqueOrThrow({
    where: { id: callId },
    select: { tenantId: true, live: { select: { mediaNodeId: true } } },
  });
  await tx.recording.createMany({
    data: {
      callId,
      storageKey: recordingKey(call.tenantId, callId, randomUUID()),
      mediaNodeId: call.live?.mediaNodeId ?? null,
      channelMap: { left: 'CUSTOMER', right: 'AGENT' },
    },
    skipDuplicates: true,
  });
}

/** The call is over: from now on the recording is being made into a file. */
export const endRecording = (tx: Tx, callId: number) =>
  tx.recording.updateMany({ where: { callId, status: 'RECORDING' }, data: { status: 'PROCESSING' } });
