/** An agent's push tokens: listing them, and deleting those of a device. */
import { notFound } from '@clarion/protocol';
import type { PushTokenResource } from '@clarion/protocol/v1/tenant/push';
import { agentOf } from '../agent/agent-of.ts';
import { inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { presentPushToken } from './present.ts';
import { removePushTokens } from './store-push-token.ts';

/** Oldest first. */
export async function listPushTokens(
  ctx: Ctx,
  { tenantRef, agentRef }: { tenantRef: string; agentRef: string },
): Promise<PushTokenResource[]> {
  const { id: agentId } = await agentOf(ctx, await tenantOf(ctx, tenantRef), agentRef);
  const tokens = await ctx.db.pushToken.findMany({ where: { agentId }, orderBy: { id: 'asc' } });
  return tokens.map((token) => presentPushToken(token, ctx.secrets));
}

/** @throws 404 if the device has no token */
export async function deletePushTokens(
  ctx: Ctx,
  { tenantRef, agentRef, deviceId }: { tenantRef: string; agentRef: string; deviceId: string },
): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const tenant = await tenantOf(inner, tenantRef);
    const { id: agentId } = await agentOf(inner, tenant, agentRef);
    const removed = await removePushTokens(inner, { agentId, agentRef, tenantId: tenant.id, deviceId });
    if (removed === 0) throw notFound('The push token');
  });
}
