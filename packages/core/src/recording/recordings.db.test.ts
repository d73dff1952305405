/** Recordings that arrive, fail, do not arrive, are too old, or have lost their call. With both stores. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Consumer, Database, Tenant } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { envelope, eventData } from '@clarion/protocol';
import { storageUnavailable } from '@clarion/store/driver';
import { putBytes } from '@clarion/store/file-bytes';
import { recordingKey } from '@clarion/store/file-key';
import { readStoreSettings } from '@clarion/store/settings';
import { createStore } from '@clarion/store/store';
import type { Store } from '@clarion/store/store';
import { FakeS3 } from '@clarion/testkit/peers/fake-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failRecording, finishRecording } from './finish-recording.ts';
import { recordingOf } from './policy.ts';
import { retainRecordings } from './retain-recordings.ts';
import { sweepRecordings } from './sweep-recordings.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const DAY_MS = 24 * 60 * 60_000;
const before = (ms: number) => new Date(now.getTime() - ms);

let testDatabase: TestDatabase;
let db: Database;
let dataDir: string;
let s3: FakeS3;
let consumer: Consumer;
let tenant: Tenant;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  dataDir = await mkdtemp(join(tmpdir(), 'clarion-recordings-'));
  s3 = await FakeS3.start();
});
afterAll(async () => {
  await s3.stop();
  await rm(dataDir, { recursive: true });
  await testDatabase.drop();
});
beforeEach(async () => {
  consumer = await db.consumer.create({
    data: { slug: randomUUID(), name: 'Acme', webhookUrl: 'https://acme.example/hook' },
  });
  tenant = await db.tenant.create({
    data: {
      consumerId: consumer.id,
      ref: 'shop',
      name: 'Shop',
      settings: { recording: { retentionDays: 30 } },
    },
  });
});
afterEach(async () => {
  s3.trouble = () => null;
  await db.$executeRaw`delete from graphile_worker._private_jobs`;
});

async function endedCall(endedAt = before(60_000), of = tenant) {
  const call = await db.call.create({
    data: {
      consumerId: consumer.id,
      tenantId: of.id,
      direction: 'INBOUND',
      status: 'TERMINATED',
      channelRef: 'main',
      channelType: 'SIP',
      customerAddress: '+441632960001',
      customerAddressType: 'E164',
      mediaPath: 'ROOM',
      terminationReason: 'COMPLETED',
      terminatedBy: 'CUSTOMER',
      createdAt: endedAt,
      answeredAt: endedAt,
      endedAt,
    },
  });
  const storageKey = recordingKey(of.id, call.id, randomUUID());
  await db.recording.create({
    data: { callId: call.id, status: 'PROCESSING', storageKey, createdAt: endedAt },
  });
  return { callId: call.id, storageKey };
}

const finished = (call: { callId: number; storageKey: string }) =>
  ({ ...call, storageProvider: 'local', sizeBytes: 4000, durationMs: 61_600 }) as const;

async function events(callId: number) {
  const rows = await db.event.findMany({ where: { callId }, orderBy: { id: 'asc' } });
  return rows.map(({ body }) => {
    const event = envelope.parse(JSON.parse(body));
    return { type: event.event_type, data: eventData[event.event_type].parse(event.data) };
  });
}

const jobs = (name: string) =>
  db.$queryRaw<{ payload: { key: string } }[]>`
    select j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = ${name}`;

test('the policy of a line takes precedence over its tenant, and that of the tenant over the account', () => {
  const choose = (line: boolean | null, own: boolean | undefined, account: boolean) =>
    recordingOf({
      line: { recordingEnabled: line },
      tenant: { settings: own === undefined ? {} : { recording: { enabled: own } } },
      consumer: { recordingEnabled: account },
    });
  expect(choose(false, true, true)).toEqual({ enabled: false, source: 'LINE' });
  expect(choose(true, false, false)).toEqual({ enabled: true, source: 'LINE' });
  expect(choose(null, false, true)).toEqual({ enabled: false, source: 'TENANT' });
  expect(choose(null, true, false)).toEqual({ enabled: true, source: 'TENANT' });
  expect(choose(null, undefined, true)).toEqual({ enabled: true, source: 'ACCOUNT' });
  expect(choose(null, undefined, false)).toEqual({ enabled: false, source: 'ACCOUNT' });
});

test('a recording that arrives is completed once, with one event and its duration as usage, however often it is reported', async () => {
  const call = await endedCall();
  const said = await Promise.all([1, 2, 3].map(() => finishRecording(db, finished(call), now)));
  expect(said.toSorted()).toEqual(['known', 'known', 'taken']);
  expect(await db.recording.findUniqueOrThrow({ where: { callId: call.callId } })).toMatchObject({
    status: 'COMPLETED',
    storageProvider: 'local',
    sizeBytes: 4000,
    durationSeconds: 62,
    completedAt: now,
    failureReason: null,
  });
  expect(await events(call.callId)).toMatchObject([
    {
      type: 'recording.completed',
      data: {
        call: { callId: call.callId },
        recording: {
          callId: call.callId,
          status: 'completed',
          durationSeconds: 62,
          format: 'ogg',
          channelMap: { left: 'CUSTOMER', right: 'AGENT' },
          failureReason: null,
        },
      },
    },
  ]);
  expect(await db.usageRecord.findMany({ where: { callId: call.callId } })).toMatchObject([
    { kind: 'RECORDING', seconds: 62, tenantRef: 'shop' },
  ]);
});

test('a failed recording has a reason and one event; one that arrives after that is still stored', async () => {
  const call = await endedCall();
  const failed = { callId: call.callId, reason: 'The disk is full.' };
  expect(await failRecording(db, failed, now)).toBe('taken');
  expect(await failRecording(db, failed, now)).toBe('known');
  expect(await db.recording.findUniqueOrThrow({ where: { callId: call.callId } })).toMatchObject({
    status: 'FAILED',
    failureReason: 'The disk is full.',
  });
  expect(await finishRecording(db, finished(call), now)).toBe('taken');
  expect(await failRecording(db, failed, now)).toBe('known');
  expect((await events(call.callId)).map(({ type }) => type)).toEqual([
    'recording.failed',
    'recording.completed',
  ]);
});

test('only a recording whose call was deleted or erased meanwhile is removed from the store', async () => {
  const call = await endedCall();
  await db.recording.delete({ where: { callId: call.callId } });
  expect(await finishRecording(db, finished(call), now)).toBe('gone');
  expect(await finishRecording(db, finished(call), now)).toBe('gone');
  const foreign = { ...finished(call), storageKey: recordingKey(tenant.id, call.callId + 1, 'id') };
  expect(await finishRecording(db, foreign, now)).toBe('gone');
  expect((await jobs('remove-file')).map(({ payload }) => payload)).toEqual([
    { provider: 'local', key: call.storageKey },
  ]);
  expect(await events(call.callId)).toEqual([]);
});

test('a recording that does not arrive within a day of its call fails with a reason', async () => {
  const late = await endedCall(before(DAY_MS + 1000));
  const soon = await endedCall(before(DAY_MS - 1000));
  expect(await sweepRecordings(db, now)).toBe(1);
  expect(await sweepRecordings(db, now)).toBe(0);
  expect(await events(late.callId)).toMatchObject([
    {
      type: 'recording.failed',
      data: { recording: { status: 'failed', failureReason: expect.stringContaining('24 hours') } },
    },
  ]);
  expect(await events(soon.callId)).toEqual([]);
});

describe.each(['local', 's3'] as const)('retention in the %s store', (provider) => {
  let store: Store;
  beforeEach(() => {
    store = createStore(
      readStoreSettings({ ...s3.env, CLARION_DATA_DIR: dataDir, CLARION_STORE: provider }),
      null,
    );
  });

  async function recorded(completedAt: Date, of = tenant) {
    const call = await endedCall(completedAt, of);
    const file = await putBytes(store, call.storageKey, Buffer.from('OggS'));
    await finishRecording(db, { ...finished(call), storageProvider: provider }, completedAt);
    return { ...call, file };
  }
  const kept = async (callId: number) => (await db.recording.count({ where: { callId } })) === 1;

  test('deletes file and row of recordings past the retention of their tenant; the call stays', async () => {
    const keeper = await db.tenant.create({
      data: { consumerId: consumer.id, ref: 'keeper', name: 'Keeper' },
    });
    const old = await recorded(before(30 * DAY_MS + 1000));
    const young = await recorded(before(30 * DAY_MS - 1000));
    const other = await recorded(before(400 * DAY_MS), keeper);
    expect(await retainRecordings({ db, store, now })).toBe(1);
    expect(await Promise.all([old, young, other].map(({ callId }) => kept(callId)))).toEqual([
      false,
      true,
      true,
    ]);
    expect(await Promise.all([old, young, other].map(({ file }) => store.sizeOf(file)))).toEqual([
      null,
      4,
      4,
    ]);
    expect(await db.call.count({ where: { id: old.callId } })).toBe(1);
    expect(
      await db.auditEntry.findMany({ where: { consumerId: consumer.id, action: 'recording.expire' } }),
    ).toMatchObject([{ tenantId: tenant.id, target: 'shop', actorKind: 'job', details: { recordings: 1 } }]);
  });

  test('deletes those of other tenants while a file of one cannot be removed', async () => {
    const settings = { recording: { retentionDays: 30 } };
    const later = await db.tenant.create({
      data: { consumerId: consumer.id, ref: 'later', name: 'Later', settings },
    });
    const stuck = await recorded(before(31 * DAY_MS));
    const other = await recorded(before(31 * DAY_MS), later);
    const partly: Store = {
      ...store,
      remove: (file) =>
        file.key === stuck.file.key
          ? Promise.reject(storageUnavailable(new Error('away')))
          : store.remove(file),
    };
    await expect(retainRecordings({ db, store: partly, now })).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
    expect(await Promise.all([stuck, other].map(({ callId }) => kept(callId)))).toEqual([true, false]);
    expect(await retainRecordings({ db, store, now })).toBe(1);
  });

  test('deletes the others of a tenant while a file cannot be removed, and leaves the rest to the next run if many cannot', async () => {
    const all: Awaited<ReturnType<typeof recorded>>[] = [];
    for (let i = 0; i < 12; i += 1) all.push(await recorded(before((50 - i) * DAY_MS)));
    let stuck = new Set([all[0]?.file.key]);
    const partly: Store = {
      ...store,
      remove: (file) =>
        stuck.has(file.key) ? Promise.reject(storageUnavailable(new Error('away'))) : store.remove(file),
    };
    const left = async () => {
      const rows = await Promise.all(all.map(({ callId }) => kept(callId)));
      return rows.filter(Boolean).length;
    };
    stuck = new Set(all.map(({ file }) => file.key));
    await expect(retainRecordings({ db, store: partly, now })).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
    expect(await left()).toBe(12);
    stuck = new Set([all[0]?.file.key]);
    await expect(retainRecordings({ db, store: partly, now })).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
    expect(await left()).toBe(1);
    stuck.clear();
    expect(await retainRecordings({ db, store: partly, now })).toBe(1);
  });

  test('keeps the row while the file cannot be removed', async () => {
    const old = await recorded(before(31 * DAY_MS));
    const away: Store = {
      ...store,
      remove: () => Promise.reject(Object.assign(new Error('away'), { code: 'storage_unavailable' })),
    };
    await expect(retainRecordings({ db, store: away, now })).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
    expect(await kept(old.callId)).toBe(true);
    expect(await retainRecordings({ db, store, now })).toBe(1);
    expect(await kept(old.callId)).toBe(false);
  });
});
