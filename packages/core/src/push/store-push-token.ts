/** Stores and deletes the push tokens of a device, for the API and for the agent's own app. */
import type { PushToken, Tx } from '@clarion/db';
import { notFound } from '@clarion/protocol';
import type { PutPushToken } from '@clarion/protocol/v1/tenant/push';
import { audit } from '../context.ts';
import type { Ctx } from '../context.ts';
import type { PushTokenProvider } from './push-message.ts';

/** First key of the advisory locks under which a consumer's tokens change. The second key is the consumer's ID. */
const PUSH_TOKEN_LOCK = 1_903_262;
/** Each device is a push notification for every call, and each private window of a browser is a new device. */
export const MAX_PUSH_DEVICES_PER_AGENT = 20;

/** Of a request, or of the socket of an agent's app. */
export type PushTokenCtx = Pick<Ctx, 'db' | 'actor' | 'surface' | 'now' | 'secrets'> & {
  consumer: { id: number };
};

export interface PushDevice {
  agentId: number;
  agentRef: string;
  tenantId: number;
  deviceId: string;
}

/**
 * Call it in a transaction. An agent who has reached the maximum number of devices loses the one that registered the longest ago.
 * @throws 404 if the agent was deleted
 */
export async function storePushToken(
  ctx: PushTokenCtx,
  { agentId, agentRef, tenantId, deviceId }: PushDevice,
  { platform, provider, token }: PutPushToken,
): Promise<PushToken> {
  const { db, consumer, secrets, now } = ctx;
  await db.$executeRaw`select pg_advisory_xact_lock(${PUSH_TOKEN_LOCK}::int, ${consumer.id}::int)`;
  await lockAgent(db, agentId);
  const hashes = secrets.fingerprints('push-token', `${consumer.id} ${provider} ${token}`);
  const where = { agentId_deviceId_provider: { agentId, deviceId, provider } };
  const known = await db.pushToken.findUnique({ where });
  // Not audited: an app registers its token again whenever it starts.
  if (known && hashes.includes(known.tokenHash) && known.platform === platform && known.rejectedAt === null)
    return db.pushToken.update({ where, data: { updatedAt: now } });

  await db.pushToken.deleteMany({
    where: { tokenHash: { in: hashes }, NOT: { agentId, deviceId, provider } },
  });
  const changed = {
    platform,
    tokenSealed: secrets.seal('push-token', token),
    tokenHash: hashes[0],
    rejectedAt: null,
    updatedAt: now,
  };
  const row = await db.pushToken.upsert({
    where,
    create: { agentId, deviceId, provider, createdAt: now, ...changed },
    update: changed,
  });
  if (!known) await deleteOldestDevices(db, agentId, deviceId);
  await audit(ctx, {
    action: 'push_token.put',
    target: agentRef,
    tenantId,
    details: { deviceId, platform, provider },
  });
  return row;
}

/** An agent who is being deleted gets no more tokens, because their calls would ring after the deletion. */
async function lockAgent(db: Tx, agentId: number): Promise<void> {
  const [held] = await db.$queryRaw<{ id: number }[]>`
    select "id" from "Agent" where "id" = ${agentId} and "deletedAt" is null for share`;
  if (!held) throw notFound('The agent');
}

async function deleteOldestDevices(db: Tx, agentId: number, newest: string): Promise<void> {
  const surplus = await db.pushToken.groupBy({
    by: ['deviceId'],
    where: { agentId, deviceId: { not: newest } },
    _max: { updatedAt: true },
    orderBy: { _max: { updatedAt: 'desc' } },
    skip: MAX_PUSH_DEVICES_PER_AGENT - 1,
  });
  if (surplus.length === 0) return;
  await db.pushToken.deleteMany({
    where: { agentId, deviceId: { in: surplus.map(({ deviceId }) => deviceId) } },
  });
}

/**
 * Call it in a transaction.
 * @param provider only tokens of this provider
 * @returns how many there were
 */
export async function removePushTokens(
  ctx: PushTokenCtx,
  { agentId, agentRef, tenantId, deviceId }: PushDevice,
  provider?: PushTokenProvider,
): Promise<number> {
  const { count } = await ctx.db.pushToken.deleteMany({
    where: { agentId, deviceId, ...(provider && { provider }) },
  });
  if (count > 0)
    await audit(ctx, {
      action: 'push_token.delete',
      target: agentRef,
      tenantId,
      details: { deviceId, tokens: count },
    });
  return count;
}
