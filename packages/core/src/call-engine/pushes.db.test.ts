/** The push notifications of a call's steps, and which agents they make reachable. */
import { randomUUID } from 'node:crypto';
import type { Agent, Database, Prisma } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { inviteRequest } from '@clarion/testkit/peers/invite-request';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WAKE_GRACE_MS } from '../call-machine/timing.ts';
import { CentreRows } from './__fixtures__/centre-rows.ts';
import { createInboundCall } from './create-inbound-call.ts';
import { dispatchQueue } from './dispatch.ts';
import { stepCall } from './step-call.ts';

let testDatabase: TestDatabase;
let db: Database;
let centre: CentreRows;
let consumerId: number;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
});
afterAll(() => testDatabase.drop());
beforeEach(async () => {
  centre = await CentreRows.create(db);
  consumerId = (await db.tenant.findUniqueOrThrow({ where: { id: centre.tenantId } })).consumerId;
  for (const provider of ['apns', 'fcm', 'webpush'])
    await db.pushCredential.create({ data: { consumerId, provider, settings: {}, secretSealed: '' } });
});

type Token = Pick<Prisma.PushTokenUncheckedCreateInput, 'platform' | 'provider' | 'deviceId'>;
const ANDROID = { platform: 'ANDROID', provider: 'FCM', deviceId: 'pixel' } as const;
const IPHONE = { platform: 'IOS', provider: 'APNS_VOIP', deviceId: 'iphone' } as const;
const BANNER = { platform: 'IOS', provider: 'FCM', deviceId: 'iphone' } as const;
const BROWSER = { platform: 'WEB', provider: 'WEB_PUSH', deviceId: 'browser' } as const;

const register = (agentId: number, ...tokens: Token[]) =>
  db.pushToken.createMany({
    data: tokens.map((token) => ({ ...token, agentId, tokenSealed: '', tokenHash: randomUUID() })),
  });

/** Agents without a socket. */
async function asleep(count: number, ...tokens: Token[]): Promise<number[]> {
  const agentIds = await centre.agents(count);
  await db.agentConnection.deleteMany({ where: { agentId: { in: agentIds } } });
  for (const agentId of agentIds) await register(agentId, ...tokens);
  return agentIds;
}

const connect = (agentId: number, deviceId: string) =>
  db.agentConnection.create({ data: { socketId: randomUUID(), agentId, deviceId, nodeId: 'n' } });

/** As a worker that sends them. */
const send = (callId: number) =>
  db.pushNotification.updateMany({ where: { callId, status: 'PENDING' }, data: { status: 'SENT' } });

const pushes = async (callId: number) =>
  (await db.pushNotification.findMany({ where: { callId }, orderBy: { id: 'asc' } })).map(
    ({ kind, deviceId, provider, status }) => `${kind} ${deviceId} ${provider} ${status}`,
  );

const wakeable = async (agentId: number): Promise<boolean> =>
  (await db.agent.findUniqueOrThrow({ where: { id: agentId } })).wakeable;

/** A call that waits in a queue of these agents and has been offered. */
async function offered(agentIds: number[], data: Partial<Prisma.QueueUncheckedCreateInput> = {}) {
  const queueId = await centre.queue(agentIds, data);
  const callId = await (await centre.line(queueId))();
  await dispatchQueue(db, queueId, new Date());
  return { queueId, callId };
}

const rungBy = async (callId: number): Promise<number[]> =>
  (await db.agent.findMany({ where: { currentCallId: callId }, orderBy: { id: 'asc' } })).map(({ id }) => id);

describe('who can be woken', () => {
  test('an agent with a token that can ring and the credentials of its provider', async () => {
    const [phone = 0] = await asleep(1, ANDROID);
    const [banner = 0] = await asleep(1, BANNER);
    const [noCredentials = 0] = await asleep(1, { ...ANDROID, provider: 'ONESIGNAL' });
    expect(await Promise.all([phone, banner, noCredentials].map(wakeable))).toEqual([true, false, false]);
    await db.pushCredential.create({
      data: { consumerId, provider: 'onesignal', settings: {}, secretSealed: '' },
    });
    await db.pushCredential.deleteMany({ where: { consumerId, provider: 'fcm' } });
    expect(await Promise.all([phone, banner, noCredentials].map(wakeable))).toEqual([false, false, true]);
  });

  test('not with a rejected or deleted token', async () => {
    const [agentId = 0] = await asleep(1, ANDROID, IPHONE);
    await db.pushToken.updateMany({ where: { agentId, provider: 'FCM' }, data: { rejectedAt: new Date() } });
    expect(await wakeable(agentId)).toBe(true);
    await db.pushToken.deleteMany({ where: { agentId, provider: 'APNS_VOIP' } });
    expect(await wakeable(agentId)).toBe(false);
    await db.pushToken.updateMany({ where: { agentId }, data: { rejectedAt: null } });
    expect(await wakeable(agentId)).toBe(true);
  });
});

describe('a queue', () => {
  test('wakes every device that can ring and has no socket, until the offer is over', async () => {
    const [agentId = 0] = await asleep(1, ANDROID, IPHONE, BANNER, BROWSER);
    const { callId } = await offered([agentId]);
    expect(await pushes(callId)).toEqual([
      'INCOMING pixel FCM PENDING',
      'INCOMING iphone APNS_VOIP PENDING',
      'INCOMING browser WEB_PUSH PENDING',
    ]);
    const [push] = await db.pushNotification.findMany({ where: { callId }, take: 1 });
    const validMs = Number(push?.expiresAt) - Number(push?.createdAt);
    expect(validMs).toBeGreaterThan(WAKE_GRACE_MS - 100);
    expect(validMs).toBeLessThanOrEqual(WAKE_GRACE_MS);
    expect(push?.assignmentType).toBe('QUEUE');
  });

  test('rings connected agents first, and their other devices too', async () => {
    const sleeping = await asleep(1, ANDROID);
    const [agentId = 0] = await centre.agents(1);
    await register(agentId, ANDROID, { ...IPHONE, deviceId: 'd' });
    const { callId } = await offered([...sleeping, agentId]);
    expect(await rungBy(callId)).toEqual([agentId]);
    expect(await pushes(callId)).toEqual(['INCOMING pixel FCM PENDING']);
  });

  test.each(['ROUND_ROBIN', 'PRIORITY', 'RING_ALL'] as const)(
    '%s rings agents who are asleep',
    async (strategy) => {
      const agentIds = await asleep(3, ANDROID);
      const { callId } = await offered(agentIds, { strategy });
      expect(await rungBy(callId)).toEqual(strategy === 'RING_ALL' ? agentIds : agentIds.slice(0, 1));
    },
  );

  test('wakes nobody on do-not-disturb, and nobody who cannot be woken', async () => {
    const agentIds = [...(await asleep(1, ANDROID)), ...(await asleep(1, BANNER))];
    await db.agent.updateMany({ where: { id: { in: agentIds } }, data: { doNotDisturb: true } });
    const { callId } = await offered(agentIds);
    expect(await rungBy(callId)).toEqual([]);
    expect(await pushes(callId)).toEqual([]);
  });

  test('offers the call to the next agent when no device wakes, which does not count as missed', async () => {
    const agentIds = await asleep(2, ANDROID);
    const { callId, queueId } = await offered(agentIds);
    const later = new Date(Date.now() + WAKE_GRACE_MS + 1_000);
    await stepCall(db, callId, { type: 'tick' }, later);
    await dispatchQueue(db, queueId, later);
    expect(await rungBy(callId)).toEqual(agentIds.slice(1));
    const first = await db.agent.findUniqueOrThrow({ where: { id: agentIds[0] ?? 0 } });
    expect(first).toMatchObject({ consecutiveMissed: 0, idleSince: later });
  });
});

describe('when the call no longer rings the agent', () => {
  const hangUp = (callId: number) => stepCall(db, callId, { type: 'terminate' }, new Date());

  test('what was not sent is cancelled, and nobody is told', async () => {
    const { callId } = await offered(await asleep(1, ANDROID, IPHONE));
    await hangUp(callId);
    expect(await pushes(callId)).toEqual([
      'INCOMING pixel FCM CANCELLED',
      'INCOMING iphone APNS_VOIP CANCELLED',
    ]);
  });

  test('devices that were woken are told, other than iPhones and those whose app is connected', async () => {
    const [agentId = 0] = await asleep(1, ANDROID, IPHONE, BROWSER);
    const { callId } = await offered([agentId]);
    await send(callId);
    await connect(agentId, 'browser');
    await hangUp(callId);
    expect((await pushes(callId)).slice(3)).toEqual(['WITHDRAWN pixel FCM PENDING']);
  });

  test('a device that the call rang twice is told once each time', async () => {
    const agentIds = await asleep(1, ANDROID);
    const { callId, queueId } = await offered(agentIds);
    await send(callId);
    const later = new Date(Date.now() + WAKE_GRACE_MS + 1_000);
    await stepCall(db, callId, { type: 'tick' }, later);
    await send(callId);
    await dispatchQueue(db, queueId, later);
    await send(callId);
    await hangUp(callId);
    expect((await pushes(callId)).map((push) => push.split(' ')[0])).toEqual([
      'INCOMING',
      'WITHDRAWN',
      'INCOMING',
      'WITHDRAWN',
    ]);
  });

  test('the devices of the agents who were not first are told', async () => {
    const [first = 0, second = 0] = await asleep(2, ANDROID);
    const { callId } = await offered([first, second], { strategy: 'RING_ALL' });
    await send(callId);
    await connect(first, 'pixel');
    const accept = { type: 'accept', agentId: first, deviceId: 'pixel', legId: 'leg' } as const;
    await stepCall(db, callId, accept, new Date());
    const told = await db.pushNotification.findMany({ where: { callId, kind: 'WITHDRAWN' } });
    expect(told.map(({ agentId, withdrawReason }) => ({ agentId, withdrawReason }))).toEqual([
      { agentId: second, withdrawReason: 'ANSWERED_ELSEWHERE' },
    ]);
  });
});

describe('a personal line', () => {
  async function callTo(owner: Pick<Agent, 'id'>) {
    const address = `+4421${String(owner.id).padStart(8, '0')}`;
    const ref = randomUUID();
    const { id: sipTrunkId } = await db.sipTrunk.findFirstOrThrow({ where: { consumerId } });
    await db.channel.create({
      data: {
        tenantId: centre.tenantId,
        ref,
        type: 'SIP',
        address,
        sipTrunkId,
        ownerAgentId: owner.id,
      },
    });
    const { answer } = await createInboundCall(
      { db, ingressDomain: null, nodeId: 'n' },
      inviteRequest({ requestUser: address }),
      new Date(),
    );
    const { id } = await db.call.findFirstOrThrow({ where: { channelRef: ref } });
    return { answer, callId: id };
  }

  test('wakes its owner for the whole time of the line, whatever their availability, and shows a missed call on iPhones', async () => {
    const [id = 0] = await asleep(1, IPHONE, BANNER, ANDROID);
    await db.agent.update({ where: { id }, data: { shift: 'OFFLINE' } });
    const { callId } = await callTo({ id });
    const woken = await db.pushNotification.findMany({ where: { callId }, orderBy: { id: 'asc' } });
    expect(woken.map(({ provider, assignmentType }) => `${provider} ${assignmentType}`)).toEqual([
      'APNS_VOIP DIRECT',
      'FCM DIRECT',
    ]);
    expect(Number(woken[0]?.expiresAt) - Number(woken[0]?.createdAt)).toBeGreaterThan(29_900);
    await send(callId);
    await stepCall(db, callId, { type: 'tick' }, new Date(Date.now() + 31_000));
    expect((await pushes(callId)).slice(2)).toEqual([
      'WITHDRAWN pixel FCM PENDING',
      'MISSED iphone FCM PENDING',
    ]);
    expect((await db.agent.findUniqueOrThrow({ where: { id } })).consecutiveMissed).toBe(0);
  });

  test('ends with NO_ANSWER at once when no device can ring', async () => {
    const [id = 0] = await asleep(1, BANNER);
    const { answer, callId } = await callTo({ id });
    expect(answer).toMatchObject({ action: 'reject', status: 480 });
    expect(await pushes(callId)).toEqual(['MISSED iphone FCM PENDING']);
  });

  test('tells nothing under do-not-disturb', async () => {
    const [id = 0] = await asleep(1, IPHONE, BANNER);
    await db.agent.update({ where: { id }, data: { doNotDisturb: true } });
    const { callId } = await callTo({ id });
    expect(await pushes(callId)).toEqual([]);
  });
});
