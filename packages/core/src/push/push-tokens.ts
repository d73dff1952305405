/** An agent's push tokens: reading them, and forgetting a device's. */
import { notFound } from '@clarion/protocol';
import type { PushTokenResource } from '@clarion/protocol/v1/tenant/push';
import { agentOf } from '../agent/agent-of.ts';
import { audit, inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { presentPushToken } from './present.ts';

/** Oldest first. */
export async function listPushTokens(
  ctx: Ctx,
  { tenantRef, agentRef }: { tenantRef: string; agentRef: string },
): Promise<PushTokenResource[]> {
  const { id: agentId } = await agentOf(ctx, await tenantOf(ctx, tenantRef), agentRef);
  const tokens = await ctx.db.pushToken.findMany({ where: { agentId }, orderBy: { id: 'asc' } });
  return tokens.map((token) => presentPushToken(token, ctx.secrets));
}

/** @throws 404 when the device has no token */
export async function deletePushTokens(
  ctx: Ctx,
  { tenantRef, agentRef, deviceId }: { tenantRef: string; agentRef: string; deviceId: string },
): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const tenant = await tenantOf(inner, tenantRef);
    const { id: agentId } = await agentOf(inner, tenant, agentRef);
    const { count } = await inner.db.pushToken.deleteMany({ where: { agentId, deviceId } });
    if (count === 0) throw notFound('The push token');
    await audit(inner, {
      action: 'push_token.delete',
      target: agentRef,
      tenantId: tenant.id,
      details: { deviceId, tokens: count },
    });
  });
}
