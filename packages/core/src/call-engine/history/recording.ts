/** The recording's row during the call. The location of its file is decided here, once. Media reports the result (core/recording). */
import { randomUUID } from 'node:crypto';
import type { Tx } from '@clarion/db';
import { recordingKey } from '@clarion/store/file-key';

/** Starts when the call is answered. A call has one recording, whatever transfers it has. */
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

/** The call has ended. The recording is now being encoded. */
export const endRecording = (tx: Tx, callId: number) =>
  tx.recording.updateMany({ where: { callId, status: 'RECORDING' }, data: { status: 'PROCESSING' } });
