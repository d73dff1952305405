/** Ends the live calls of a trunk for the operator, for example because its account is abused. */
import { ApiError } from '@clarion/protocol';
import { forConsumer } from '../consumer/operator.ts';
import type { OperatorCtx } from '../consumer/operator.ts';
import { terminateCall } from './terminate-call.ts';

/** Each call is ended as by its account; the audit log of the account names the operator. @returns how many were ended */
export async function endCallsOfTrunk(ctx: OperatorCtx, trunkId: number): Promise<number> {
  const calls = await ctx.db.liveCall.findMany({
    where: { call: { sipTrunkId: trunkId } },
    select: { callId: true, call: { select: { consumer: true } } },
    orderBy: { callId: 'asc' },
  });
  let ended = 0;
  for (const { callId, call } of calls) {
    try {
      await terminateCall(forConsumer(ctx, call.consumer), callId);
      ended += 1;
    } catch (error) {
      // It has ended by itself.
      if (!(error instanceof ApiError && error.code === 'call_ended')) throw error;
    }
  }
  return ended;
}
