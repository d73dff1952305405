/** The recording's row, from the answer on: its file's place is decided here, once. */
import { randomUUID } from 'node:crypto';
import type { Tx } from '@clarion/db';
import { recordingKey } from '@clarion/store/file-key';

export async function beginRecording(tx: Tx, callId: number): Promise<void> {
  const call = await tx.call.findUniqueOrThrow({
    where: { id: callId },
    select: { tenantId: true, live: { select: { mediaNodeId: true } } },
  });
  await tx.recording.create({
    data: {
      callId,
      storageKey: recordingKey(call.tenantId, callId, randomUUID()),
      mediaNodeId: call.live?.mediaNodeId ?? null,
      channelMap: { left: 'CUSTOMER', right: 'AGENT' },
    },
  });
}
