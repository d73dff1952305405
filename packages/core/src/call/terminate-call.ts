/** Ends a call for the consumer: COMPLETED if it was in progress, otherwise CANCELLED. */
import { ApiError } from '@clarion/protocol';
import { audit } from '../context.ts';
import type { Ctx } from '../context.ts';
import { retryingTransaction } from '../retry-on-conflict.ts';
import { callOf } from '../call-record/call-of.ts';
import { applyStep } from '../call-engine/step-call.ts';

/** @throws 409 call_ended */
export async function terminateCall(ctx: Ctx, callId: number): Promise<void> {
  await retryingTransaction(ctx, async (inner) => {
    const call = await callOf(inner, callId);
    const stepped = await applyStep(inner.db, callId, { type: 'terminate' }, inner.now);
    if (stepped.kind === 'not-live') throw new ApiError('call_ended');
    await audit(inner, { action: 'call.terminate', target: String(callId), tenantId: call.tenantId });
  });
}
