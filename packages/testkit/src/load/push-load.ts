/** For tests and benchmarks of push notifications: agents with devices whom a call rings, and their notifications, as a step writes them. */
import { randomUUID } from 'node:crypto';
import type { SecretBox } from '@clarion/core/security/secret-box';
import type { Database, Prisma, PushNotification } from '@clarion/db';

/** How devices of this load are reached: their provider, its credentials, and the token of each. */
export interface PushRoute {
  platform: 'ANDROID' | 'IOS' | 'WEB';
  provider: 'FCM' | 'APNS_VOIP' | 'ONESIGNAL' | 'WEB_PUSH';
  credentials: { provider: string; settings: Prisma.InputJsonObject; secret: string } | null;
  tokenOf: (index: number) => string;
}

export interface PushScene {
  consumerId: number;
  callId: number;
  devices: { agentId: number; tokenId: number; deviceId: string }[];
}

/** An account with a call that rings this many agents, each with one device. */
export async function createPushScene(
  db: Database,
  secrets: SecretBox,
  { platform, provider, credentials, tokenOf }: PushRoute,
  agents = 1,
): Promise<PushScene> {
  const { id: consumerId } = await db.consumer.create({ data: { slug: `c-${randomUUID()}`, name: 'Acme' } });
  if (credentials)
    await db.pushCredential.create({
      data: {
        consumerId,
        provider: credentials.provider,
        settings: credentials.settings,
        secretSealed: secrets.seal('push-credentials', credentials.secret),
      },
    });
  const tenant = await db.tenant.create({ data: { consumerId, ref: 'north', name: 'North' } });
  const call = await db.call.create({
    data: {
      consumerId,
      tenantId: tenant.id,
      direction: 'INBOUND',
      channelRef: 'main',
      channelType: 'SIP',
      customerAddress: '+442071838750',
      customerAddressType: 'PHONE',
      customerName: 'Grace',
    },
  });
  const rows = await db.agent.createManyAndReturn({
    data: Array.from({ length: agents }, (_, index) => ({
      tenantId: tenant.id,
      ref: `agent-${index}`,
      name: `Agent ${index}`,
      currentCallId: call.id,
    })),
  });
  const tokens = await db.pushToken.createManyAndReturn({
    data: rows.map(({ id }, index) => ({
      agentId: id,
      deviceId: `device-${index}`,
      platform,
      provider,
      tokenSealed: secrets.seal('push-token', tokenOf(index)),
      tokenHash: randomUUID(),
    })),
  });
  return {
    consumerId,
    callId: call.id,
    devices: tokens.map(({ id, agentId, deviceId }) => ({ tokenId: id, agentId, deviceId })),
  };
}

/** Writes one notification per device, due now and of use for `ringMs`, and announces them. */
export async function writePushes(
  db: Database,
  { consumerId, callId, devices }: PushScene,
  { ringMs = 30_000, ...changes }: { ringMs?: number } & Partial<PushNotification> = {},
): Promise<bigint[]> {
  const tokens = await db.pushToken.findMany({
    where: { id: { in: devices.map(({ tokenId }) => tokenId) } },
  });
  const [clock] = await db.$queryRaw<{ now: Date }[]>`select now()`;
  const now = clock?.now ?? new Date();
  const rows = await db.pushNotification.createManyAndReturn({
    data: tokens.map(({ id, agentId, deviceId, platform, provider }) => ({
      callId,
      consumerId,
      agentId,
      tokenId: id,
      deviceId,
      platform,
      provider,
      kind: 'INCOMING' as const,
      assignmentType: 'QUEUE',
      createdAt: now,
      dueAt: now,
      expiresAt: new Date(now.getTime() + ringMs),
      ...changes,
    })),
    select: { id: true },
  });
  await db.$executeRaw`select pg_notify('clarion_push', '')`;
  return rows.map(({ id }) => id);
}
