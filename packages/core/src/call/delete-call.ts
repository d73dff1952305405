/** Deletes an ended call: its recording's file first, then all of its rows in one transaction. */
import { ApiError } from '@clarion/protocol';
import { audit } from '../context.ts';
import type { Ctx } from '../context.ts';
import { withoutRecordingFiles } from '../recording/without-files.ts';
import { callOf } from '../call-record/call-of.ts';
import { deleteCallRows } from './erasure/traces.ts';

/** @throws 409 call_active; 503 storage_unavailable, changing nothing */
export async function deleteCall(ctx: Ctx, callId: number): Promise<void> {
  await assertEnded(ctx, callId);
  await withoutRecordingFiles(ctx, [callId], async (inner) => {
    // Another request may have deleted it meanwhile.
    const { tenantId } = await assertEnded(inner, callId);
    const { recordings, events } = await deleteCallRows(inner.db, [callId]);
    await audit(inner, {
      action: 'call.delete',
      target: String(callId),
      tenantId,
      details: { recordings, events },
    });
  });
}

async function assertEnded(ctx: Ctx, callId: number): Promise<{ tenantId: number }> {
  const call = await callOf(ctx, callId);
  if (call.status !== 'TERMINATED' && call.status !== 'FAILED') throw new ApiError('call_active');
  return call;
}
