/**
 * Registers a device for push notifications of calls. A token belongs to one agent at a time: if another agent signs in on the same phone,
 * the last PUT takes over the token, so that the previous agent's calls do not ring there.
 */
import type { Tx } from '@clarion/db';
import { notFound } from '@clarion/protocol';
import type { PushTokenResource, PutPushToken } from '@clarion/protocol/v1/tenant/push';
import { agentOf } from '../agent/agent-of.ts';
import { audit, inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { presentPushToken } from './present.ts';

/** First key of the advisory locks under which a consumer's tokens change. The second key is the consumer's ID. */
const PUSH_TOKEN_LOCK = 1_903_262;

export async function putPushToken(
  ctx: Ctx,
  path: { tenantRef: string; agentRef: string; deviceId: string },
  { platform, provider, token }: PutPushToken,
): Promise<PushTokenResource> {
  const { tenantRef, agentRef, deviceId } = path;
  return inTransaction(ctx, async (inner) => {
    const { db, consumer, secrets } = inner;
    const tenant = await tenantOf(inner, tenantRef);
    const { id: agentId } = await agentOf(inner, tenant, agentRef);
    await db.$executeRaw`select pg_advisory_xact_lock(${PUSH_TOKEN_LOCK}::int, ${consumer.id}::int)`;
    await lockAgent(db, agentId);
    const hashes = secrets.fingerprints('push-token', `${consumer.id} ${provider} ${token}`);
    await db.pushToken.deleteMany({
      where: { tokenHash: { in: hashes }, NOT: { agentId, deviceId, provider } },
    });
    const changed = {
      platform,
      tokenSealed: secrets.seal('push-token', token),
      tokenHash: hashes[0],
      rejectedAt: null,
      updatedAt: inner.now,
    };
    const row = await db.pushToken.upsert({
      where: { agentId_deviceId_provider: { agentId, deviceId, provider } },
      create: { agentId, deviceId, provider, createdAt: inner.now, ...changed },
      update: changed,
    });
    await audit(inner, {
      action: 'push_token.put',
      target: agentRef,
      tenantId: tenant.id,
      details: { deviceId, platform, provider },
    });
    return presentPushToken(row, secrets);
  });
}

/** An agent who is being deleted gets no more tokens, because their calls would ring after the deletion. */
async function lockAgent(db: Tx, agentId: number): Promise<void> {
  const [held] = await db.$queryRaw<{ id: number }[]>`
    select "id" from "Agent" where "id" = ${agentId} and "deletedAt" is null for share`;
  if (!held) throw notFound('The agent');
}
