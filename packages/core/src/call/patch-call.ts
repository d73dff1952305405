/** Sets a call's references, during the call or afterwards. Later events contain them, and agents' apps show them immediately. */
import { notifyAfterCommit, Prisma } from '@clarion/db';
import type { CallView } from '@clarion/protocol';
import type { PatchCall } from '@clarion/protocol/v1/call/calls';
import { audit, inTransaction, scopeOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { callOf } from '../call-record/call-of.ts';
import type { OutsideEffect } from '../call-machine/effects.ts';
import { toJson } from '../call-engine/stored.ts';
import { presentCall } from '../call-record/present.ts';

export async function patchCall(
  ctx: Ctx,
  callId: number,
  { externalRef, consumerMetadata }: PatchCall,
): Promise<CallView> {
  return inTransaction(ctx, async (inner) => {
    const { db, now } = inner;
    const isLive = await overtakeSteps(inner, callId);
    await db.call.updateMany({
      where: { id: callId, ...scopeOf(inner) },
      data: {
        ...(externalRef !== undefined && { externalRef }),
        ...(consumerMetadata !== undefined && {
          consumerMetadata: consumerMetadata === null ? Prisma.DbNull : toJson(consumerMetadata),
        }),
      },
    });
    const { tenant, ...call } = await callOf(inner, callId);
    await audit(inner, { action: 'call.patch', target: String(callId), tenantId: call.tenantId });
    if (isLive) await notifyAgentOf(inner, callId, call.agentId);
    return presentCall(call, tenant.ref, now);
  });
}

/** A step that was loaded before conflicts, so that its events have the new references. @returns whether the call is live */
async function overtakeSteps(ctx: Ctx, callId: number): Promise<boolean> {
  const { count } = await ctx.db.liveCall.updateMany({
    where: { callId, ...scopeOf(ctx) },
    data: { version: { increment: 1 } },
  });
  return count > 0;
}

/** The agent's app shows the live call. A realtime node notifies it when this transaction has committed. */
async function notifyAgentOf({ db }: Ctx, callId: number, agentId: number | null): Promise<void> {
  if (agentId === null) return;
  const effects: OutsideEffect[] = [{ kind: 'notify-agent', agentId, what: { message: 'updated' } }];
  const { id } = await db.engineOutbox.create({
    data: { callId, effects: toJson(effects) },
    select: { id: true },
  });
  await notifyAfterCommit(db, 'clarion_call', id);
}
