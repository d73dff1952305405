/** Claiming and recording push notifications, as two workers do it. The runner is tested with real providers' protocols in apps/worker. */
import { createPool } from '@clarion/db';
import type { Database, SqlPool } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { createPushScene, writePushes } from '@clarion/testkit/load/push-load';
import type { PushScene } from '@clarion/testkit/load/push-load';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createSecretBox } from '../../security/secret-box.ts';
import type { PushResult } from '../push-message.ts';
import { beginSending, claimPushes, releasePushes } from './claim-pushes.ts';
import type { PushLimits } from './claim-pushes.ts';
import { requestOf } from './due-push.ts';
import type { DuePush } from './due-push.ts';
import { prunePushes } from './prune-pushes.ts';
import { endOverduePushes, recordPushes, recordTokens } from './record-pushes.ts';

const secrets = createSecretBox([Buffer.alloc(32, 7).toString('base64')]);
const everything: PushLimits = { count: 1_000, fullConsumers: [], room: new Map(), roomOfOthers: 1_000 };
const sent: PushResult = { outcome: 'sent', httpStatus: 200 };

let database: TestDatabase;
let db: Database;
let sql: SqlPool;
let scene: PushScene;

beforeAll(async () => {
  database = await createTestDatabase();
  db = database.connect();
  sql = createPool(database.url, { connections: 4, onError: () => undefined });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});
beforeEach(async () => {
  await db.pushNotification.deleteMany();
  scene = await ringing(1);
});

const fcm = {
  provider: 'fcm',
  settings: { projectId: 'helpdesk', clientEmail: 'a@example.com', tokenUri: 'http://127.0.0.1:9/token' },
  secret: 'key',
};
const ringing = (agents: number, credentials: typeof fcm | null = fcm) =>
  createPushScene(
    db,
    secrets,
    { platform: 'ANDROID', provider: 'FCM', credentials, tokenOf: (index) => `token-${index}` },
    agents,
  );

const claim = async (workerId: string, limits = everything) => (await claimPushes(sql, workerId, limits)).due;
const begin = async (workerId: string, due: readonly DuePush[]) => [
  ...(await beginSending(sql, workerId, due)).keys(),
];
async function record(workerId: string, due: readonly DuePush[], result: PushResult) {
  const attempted = due.map((one) => ({ due: one, result }));
  const recorded = await recordPushes(sql, workerId, attempted);
  await recordTokens(sql, attempted);
  return recorded.map(({ status }) => status);
}
async function attempt(result: PushResult): Promise<DuePush[]> {
  const due = await claim('a');
  await begin('a', due);
  await record('a', due, result);
  return due;
}
const rows = () => db.pushNotification.findMany({ orderBy: { id: 'asc' } });
const statuses = async () => (await rows()).map(({ status }) => status);
const logged = async (callId = scene.callId) =>
  (await db.callLifecycle.findMany({ where: { callId, type: 'PUSHED' } })).map(({ metadata }) => metadata);
const wakeable = async () =>
  (await db.agent.findMany({ where: { id: { in: scene.devices.map(({ agentId }) => agentId) } } })).map(
    (agent) => agent.wakeable,
  );
const token = () => db.pushToken.findUniqueOrThrow({ where: { id: scene.devices[0]?.tokenId ?? 0 } });
const later = (seconds: number) => db.$executeRaw`
  update "PushNotification" set "dueAt" = "dueAt" - ${seconds} * interval '1 second',
    "claimedUntil" = "claimedUntil" - ${seconds} * interval '1 second', "expiresAt" = "expiresAt" - ${seconds} * interval '1 second'`;

test('a notification is claimed by one of two workers, with all that a device receives, and sent once', async () => {
  await writePushes(db, scene);
  const [first, second] = await Promise.all([claim('a'), claim('b')]);
  const due = [...first, ...second];
  expect(due).toHaveLength(1);
  const [one] = due;
  expect(one && requestOf(one, secrets, new Date(0))).toEqual({
    credentials: fcm,
    to: { platform: 'ANDROID', provider: 'FCM', token: 'token-0', sandbox: null },
    message: {
      kind: 'INCOMING',
      pushId: expect.any(String),
      callId: scene.callId,
      tenantRef: 'north',
      agentRef: 'agent-0',
      channelRef: 'main',
      callerAddress: '+442071838750',
      callerName: 'Grace',
      assignmentType: 'QUEUE',
      sentAt: new Date(0),
      expiresAt: expect.any(Date),
    },
  });
  const worker = first.length > 0 ? 'a' : 'b';
  expect(await begin(worker === 'a' ? 'b' : 'a', due)).toEqual([]);
  expect(await begin(worker, due)).toEqual([one?.rowId]);
  expect(await begin(worker, due)).toEqual([]);
  expect(await record(worker, due, sent)).toEqual(['SENT']);
  expect(await record(worker, due, sent)).toEqual([null]);
  expect(await claim('a')).toEqual([]);
  expect(await logged()).toEqual([
    {
      deviceId: 'device-0',
      provider: 'FCM',
      platform: 'ANDROID',
      kind: 'INCOMING',
      result: 'SENT',
      httpStatus: 200,
    },
  ]);
  expect(await token()).toMatchObject({
    lastResult: 'SENT',
    lastPushedAt: expect.any(Date),
    rejectedAt: null,
  });
});

test('what a worker claimed before it was killed is claimed by another one, and only that one sends it', async () => {
  await writePushes(db, scene);
  const dead = await claim('dead');
  expect(await claim('b')).toEqual([]);
  await later(6);
  const taken = await claim('b');
  expect(taken.map(({ pushId }) => pushId)).toEqual(dead.map(({ pushId }) => pushId));
  expect(await begin('dead', dead)).toEqual([]);
  expect(await begin('b', taken)).toHaveLength(1);
});

test('what a worker was sending when it was killed is not sent again', async () => {
  await writePushes(db, scene, { ringMs: 60_000 });
  const due = await claim('dead');
  await begin('dead', due);
  await later(20);
  expect(await endOverduePushes(sql)).toEqual([]);
  await later(6);
  expect(await claim('b')).toEqual([]);
  expect(await endOverduePushes(sql)).toEqual([{ provider: 'FCM', status: 'UNKNOWN' }]);
  expect(await claim('b')).toEqual([]);
  expect(await record('dead', due, sent)).toEqual([null]);
  expect(await logged()).toMatchObject([{ result: 'UNKNOWN' }]);
});

test('what has expired is not sent: before the claim, between claim and send, and as a retry', async () => {
  await writePushes(db, scene);
  await later(31);
  expect(await claim('a')).toEqual([]);
  expect(await endOverduePushes(sql)).toEqual([{ provider: 'FCM', status: 'EXPIRED' }]);
  await writePushes(db, scene);
  const due = await claim('a');
  await later(31);
  expect(await begin('a', due)).toEqual([]);
  expect(await endOverduePushes(sql)).toHaveLength(1);
  await writePushes(db, scene, { ringMs: 900 });
  await attempt({ outcome: 'retry', httpStatus: 429, reason: 'QUOTA', retryAfterMs: 1_000 });
  expect(await statuses()).toEqual(['EXPIRED', 'EXPIRED', 'EXPIRED']);
  expect(await logged()).toMatchObject([
    { result: 'EXPIRED' },
    { result: 'EXPIRED' },
    { result: 'EXPIRED', reason: 'QUOTA' },
  ]);
});

test('a retry is made when it is due, with the same ID, a limited number of times', async () => {
  await writePushes(db, scene, { ringMs: 600_000 });
  const seen = new Set<string>();
  for (let made = 1; made <= 6; made += 1) {
    const due = await attempt({ outcome: 'retry', httpStatus: 503, reason: 'UNAVAILABLE' });
    for (const { pushId } of due) seen.add(pushId);
    expect(await rows()).toMatchObject([{ attempts: made, reason: 'UNAVAILABLE', httpStatus: 503 }]);
    expect(await claim('a')).toEqual([]);
    await later(10);
  }
  expect(seen.size).toBe(1);
  expect(await statuses()).toEqual(['FAILED']);
  expect(await logged()).toHaveLength(1);
});

test('a device that has connected, and an agent whom the call no longer rings, get none', async () => {
  scene = await ringing(4);
  const [connected, other, talking, ringing4] = scene.devices;
  await db.agentConnection.create({
    data: { socketId: 's1', agentId: connected?.agentId ?? 0, deviceId: 'device-0', nodeId: 'n' },
  });
  await db.agentConnection.create({
    data: { socketId: 's2', agentId: ringing4?.agentId ?? 0, deviceId: 'another-device', nodeId: 'n' },
  });
  await db.agent.update({ where: { id: other?.agentId ?? 0 }, data: { currentCallId: null } });
  await db.agent.update({ where: { id: talking?.agentId ?? 0 }, data: { onCall: true } });
  await writePushes(db, scene);
  const { due, cancelled } = await claimPushes(sql, 'a', everything);
  expect(due.map(({ deviceId }) => deviceId)).toEqual(['device-3']);
  expect(cancelled).toHaveLength(3);
  expect((await rows()).map(({ status, reason }) => [status, reason])).toEqual([
    ['CANCELLED', 'CONNECTED'],
    ['CANCELLED', 'NOT_RINGING'],
    ['CANCELLED', 'NOT_RINGING'],
    ['CLAIMED', null],
  ]);
  expect(await logged()).toEqual([]);
  await db.pushNotification.deleteMany();
  await writePushes(db, scene, { kind: 'WITHDRAWN', withdrawReason: 'ANSWERED_ELSEWHERE' });
  expect((await claim('a')).map(({ deviceId }) => deviceId)).toEqual(['device-1', 'device-2', 'device-3']);
});

test('a withdrawal is sent after the call that it withdraws, unless the call was offered again', async () => {
  await writePushes(db, scene);
  const incoming = await claim('a');
  await begin('a', incoming);
  const withdrawal = { kind: 'WITHDRAWN', withdrawReason: 'TIMEOUT', assignmentType: null } as const;
  await writePushes(db, scene, withdrawal);
  expect(await claim('a')).toEqual([]);
  await record('a', incoming, sent);
  const due = await claim('a');
  expect(due.map(({ kind }) => kind)).toEqual(['WITHDRAWN']);
  await releasePushes(sql, 'a', due);
  await writePushes(db, scene);
  expect((await claim('a')).map(({ kind }) => kind)).toEqual(['INCOMING']);
  expect((await rows()).map(({ reason }) => reason)).toEqual([null, 'SUPERSEDED', null]);
});

test('a token that is deleted or rejected meanwhile gets none, and without credentials it fails', async () => {
  scene = await ringing(2);
  await writePushes(db, scene);
  await db.pushToken.delete({ where: { id: scene.devices[0]?.tokenId ?? 0 } });
  await db.pushToken.update({
    where: { id: scene.devices[1]?.tokenId ?? 0 },
    data: { rejectedAt: new Date() },
  });
  expect(await claim('a')).toEqual([]);
  expect((await rows()).map(({ reason }) => reason)).toEqual(['TOKEN_DELETED', 'TOKEN_REJECTED']);
  scene = await ringing(1, null);
  await writePushes(db, scene);
  const due = await claim('a');
  expect(due.map((one) => requestOf(one, secrets, new Date()))).toEqual([null]);
  expect(await record('a', due, { outcome: 'failed', httpStatus: null, reason: 'NoCredentials' })).toEqual([
    'FAILED',
  ]);
});

test('a rejected token does not count until it is registered again', async () => {
  expect(await wakeable()).toEqual([true]);
  await writePushes(db, scene);
  await attempt({ outcome: 'rejected', httpStatus: 404, reason: 'UNREGISTERED' });
  expect(await wakeable()).toEqual([false]);
  expect(await token()).toMatchObject({ lastResult: 'UNREGISTERED', rejectedAt: expect.any(Date) });
  expect(await logged()).toMatchObject([{ result: 'REJECTED', reason: 'UNREGISTERED' }]);
  await db.pushToken.updateMany({ data: { rejectedAt: null } });
  expect(await wakeable()).toEqual([true]);
});

test('a rejection says nothing about a token that was registered again while it was sent', async () => {
  await writePushes(db, scene);
  const due = await claim('a');
  await begin('a', due);
  const { id } = await token();
  await db.pushToken.update({ where: { id }, data: { tokenSealed: secrets.seal('push-token', 'token-0') } });
  expect(await record('a', due, { outcome: 'rejected', httpStatus: 410, reason: 'Unregistered' })).toEqual([
    'REJECTED',
  ]);
  expect(await token()).toMatchObject({ lastResult: null, rejectedAt: null });
  expect(await wakeable()).toEqual([true]);
});

test('the environment of APNs that accepted a token is remembered', async () => {
  await writePushes(db, scene);
  await attempt({ outcome: 'sent', httpStatus: 200, sandbox: true });
  expect((await token()).sandbox).toBe(true);
  await writePushes(db, scene);
  expect((await claim('a')).map(({ sandbox }) => sandbox)).toEqual([true]);
});

test('a cancelled notification is not sent, and one that is released is claimed at once', async () => {
  await writePushes(db, scene);
  const due = await claim('a');
  await db.pushNotification.updateMany({
    where: { status: { in: ['PENDING', 'CLAIMED'] } },
    data: { status: 'CANCELLED' },
  });
  expect(await begin('a', due)).toEqual([]);
  await releasePushes(sql, 'a', due);
  expect(await statuses()).toEqual(['CANCELLED']);
  await writePushes(db, scene);
  const released = await claim('a');
  await releasePushes(sql, 'a', released);
  expect(await claim('b')).toHaveLength(1);
});

test('a claim is limited in total and per consumer, the longest due first', async () => {
  scene = await ringing(3);
  const other = await ringing(2);
  await writePushes(db, scene);
  await writePushes(db, other);
  const limits = { ...everything, room: new Map([[scene.consumerId, 1]]), roomOfOthers: 5, count: 2 };
  expect((await claim('a', limits)).map(({ consumerId }) => consumerId)).toEqual([
    scene.consumerId,
    other.consumerId,
  ]);
  const skipped = { ...everything, fullConsumers: [scene.consumerId] };
  expect((await claim('a', skipped)).map(({ consumerId }) => consumerId)).toEqual([other.consumerId]);
  expect(await claim('a')).toHaveLength(2);
});

test('the call can be deleted while its notification is being recorded', async () => {
  await writePushes(db, scene);
  const due = await claim('a');
  await begin('a', due);
  await Promise.all([db.call.delete({ where: { id: scene.callId } }), record('a', due, sent)]);
  expect(await rows()).toEqual([]);
  expect(await record('a', due, sent)).toEqual([null]);
});

test('notifications are deleted after a day', async () => {
  scene = await ringing(3);
  await writePushes(db, scene);
  expect(await prunePushes(db, new Date(Date.now() + 23 * 3_600_000), 2)).toBe(0);
  expect(await prunePushes(db, new Date(Date.now() + 25 * 3_600_000), 2)).toBe(3);
});
