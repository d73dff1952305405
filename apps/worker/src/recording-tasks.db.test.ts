/** The worker's tasks about files: what a store that is away does to them. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { putBytes } from '@clarion/store/file-bytes';
import { readStoreSettings } from '@clarion/store/settings';
import { createStore } from '@clarion/store/store';
import { FakeS3 } from '@clarion/testkit/peers/fake-s3';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeFileTask } from './tasks/remove-file.ts';
import { retainRecordingsTask } from './tasks/retain-recordings.ts';
import { sweepRecordingsTask } from './tasks/sweep-recordings.ts';
import type { TaskContext } from './tasks/index.ts';

const key = 'tenants/1/recordings/r/call-7.ogg';
const now = new Date('2026-03-01T12:00:00.000Z');
let testDatabase: TestDatabase;
let db: Database;
let dataDir: string;
let s3: FakeS3;
let ctx: TaskContext;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  dataDir = await mkdtemp(join(tmpdir(), 'clarion-worker-'));
  s3 = await FakeS3.start();
  const store = createStore(readStoreSettings({ ...s3.env, CLARION_DATA_DIR: dataDir }), null);
  // The tasks about files take these and nothing else of the context.
  ctx = {
    db,
    store,
    now: () => now,
    log: pino({ level: 'silent' }),
  } satisfies Partial<TaskContext> as TaskContext;
});
afterAll(async () => {
  await s3.stop();
  await rm(dataDir, { recursive: true });
  await testDatabase.drop();
});

const jobs = () =>
  db.$queryRaw<{ payload: unknown; runAt: Date }[]>`
    select j.payload, j.run_at as "runAt" from graphile_worker._private_jobs j`;

test('a file without a row is removed; while the store is away, later', async () => {
  const file = await putBytes(ctx.store, key, Buffer.from('OggS'));
  s3.trouble = () => 503;
  await removeFileTask(file, ctx);
  expect(await jobs()).toEqual([{ payload: file, runAt: new Date('2026-03-01T12:05:00.000Z') }]);
  s3.trouble = () => null;
  expect(await ctx.store.sizeOf(file)).toBe(4);
  await removeFileTask(file, ctx);
  expect(await ctx.store.sizeOf(file)).toBeNull();
  await removeFileTask(file, ctx);
});

/** A call that ended two days ago, of a tenant that keeps recordings for a day. */
async function oldCall(recording: { status: 'PROCESSING' } | { status: 'COMPLETED'; storageKey: string }) {
  const endedAt = new Date(now.getTime() - 2 * 24 * 60 * 60_000);
  const consumer = await db.consumer.create({ data: { slug: randomUUID(), name: 'Acme' } });
  const tenant = await db.tenant.create({
    data: {
      consumerId: consumer.id,
      ref: 'shop',
      name: 'Shop',
      settings: { recording: { retentionDays: 1 } },
    },
  });
  const { id: callId } = await db.call.create({
    data: {
      consumerId: consumer.id,
      tenantId: tenant.id,
      direction: 'INBOUND',
      status: 'TERMINATED',
      channelRef: 'main',
      channelType: 'SIP',
      customerAddressType: 'E164',
      mediaPath: 'ROOM',
      createdAt: endedAt,
      endedAt,
    },
  });
  const completed = recording.status === 'COMPLETED' && { storageProvider: 's3', completedAt: endedAt };
  await db.recording.create({ data: { callId, createdAt: endedAt, ...recording, ...completed } });
  return callId;
}
const recordingOf = (callId: number) => db.recording.findUnique({ where: { callId } });

test('an old recording goes at the next run after the store is back', async () => {
  const file = await putBytes(ctx.store, key, Buffer.from('OggS'));
  const callId = await oldCall({ status: 'COMPLETED', storageKey: key });
  s3.trouble = () => 503;
  await retainRecordingsTask({}, ctx);
  expect(await recordingOf(callId)).not.toBeNull();
  s3.trouble = () => null;
  await retainRecordingsTask({}, ctx);
  expect(await recordingOf(callId)).toBeNull();
  expect(await ctx.store.sizeOf(file)).toBeNull();
});

test('one that never arrived is given up', async () => {
  const callId = await oldCall({ status: 'PROCESSING' });
  await sweepRecordingsTask({}, ctx);
  expect(await recordingOf(callId)).toMatchObject({ status: 'FAILED' });
});
