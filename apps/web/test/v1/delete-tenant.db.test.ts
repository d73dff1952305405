import { FakeS3 } from '@clarion/testkit/peers/fake-s3';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { putBytes } from '@clarion/store/file-bytes';
import { recordingKey, tenantPrefix, uploadKey } from '@clarion/store/file-key';
import type { Store } from '@clarion/store/store';
import { registry } from '@clarion/protocol/v1/registry';
import { fullCall, whereWordsAre } from '../full-call.ts';
import type { FullCall } from '../full-call.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';
import type { TenantFixture } from '../tenant-fixture.ts';

let web: Web;
let s3: FakeS3;
let store: Store;
let fixture: TenantFixture;
let key: string;
let worlds = 0;
const path = { tenantRef: 'shop' };
beforeAll(async () => {
  s3 = await FakeS3.start();
  web = await startWeb(s3.env);
  ({ store } = web.runtime);
});
/** A tenant with every kind of reference between its resources: it must be deletable in any order. */
beforeEach(async () => {
  worlds += 1;
  fixture = await createTenantFixture(web, `acme-${worlds}`);
  ({ key } = fixture);
  const { audioAsset } = (
    await call('createAudioAsset', { key, path, body: registry.createAudioAsset.example.body })
  ).json;
  await call('putQueue', {
    key,
    path: { ...path, queueRef: 'later' },
    body: { name: 'Later', overflow_queue_ref: 'support', hold_audio_asset_id: audioAsset.id },
  });
  const { db } = web.runtime;
  const channel = await db.channel.findFirstOrThrow({
    where: { ref: 'main', tenant: { consumer: { slug: `acme-${worlds}` } } },
  });
  const queue = await db.queue.findFirstOrThrow({ where: { ref: 'later', tenantId: channel.tenantId } });
  await db.ivrFlow.create({
    data: {
      tenantId: channel.tenantId,
      ref: 'menu',
      name: 'Menu',
      channelId: channel.id,
      structure: {},
      audioAssets: { create: { audioAssetId: audioAsset.id } },
      queues: { create: { queueId: queue.id } },
    },
  });
  await db.whatsAppEvent.create({
    data: {
      consumerId: (await db.tenant.findUniqueOrThrow({ where: { id: channel.tenantId } })).consumerId,
      channelId: channel.id,
      whatsAppCallId: 'wacid',
      type: 'connect',
      digest: Buffer.from('digest'),
      payload: {},
    },
  });
});
afterEach(() => {
  s3.trouble = () => null;
  web.runtime.store = store;
});
afterAll(async () => {
  await web.stop();
  await s3.stop();
});

const tenantIdOf = async () =>
  (
    await web.runtime.db.tenant.findFirstOrThrow({
      where: { ref: 'shop', consumer: { slug: `acme-${worlds}` } },
    })
  ).id;
/** As an account does it: DELETE need not wait for calls that its lines admit. */
const suspend = async () => {
  await call('putTenant', { key, path, body: { name: 'Shop', status: 'SUSPENDED' } });
  await web.runtime.db.channel.updateMany({
    where: { tenantId: await tenantIdOf() },
    data: { status: 'DISABLED' },
  });
};
const remove = () => call('deleteTenant', { key, path });
const filesOf = (tenantId: number) =>
  [...s3.objects.keys()].filter((name) => name.startsWith(tenantPrefix(tenantId)));
async function manyCalls(count: number, like: FullCall): Promise<void> {
  await web.runtime.db.$executeRaw`
    insert into "Call" ("consumerId", "tenantId", "direction", "status", "channelId", "channelRef", "channelType", "agentId",
      "customerAddress", "customerAddressType", "terminationReason", "createdAt", "queuedAt", "endedAt")
    select "consumerId", "tenantId", 'INBOUND', 'TERMINATED', "channelId", 'main', 'SIP', "agentId", '+442079460123', 'E164',
      'CANCELLED', now() - n * interval '1 minute', now() - n * interval '1 minute', now()
    from "Call", generate_series(1, ${count}::int) n where "id" = ${like.callId}`;
}

test('a deleted tenant leaves its usage, its released numbers and the counts of what went', async () => {
  const { db } = web.runtime;
  const tenantId = await tenantIdOf();
  const calls = [await fullCall(web, fixture), await fullCall(web, fixture)];
  // Files without a row: uploads of the consumer, and files that a crash left behind.
  await putBytes(store, uploadKey(tenantId, 'own.wav') ?? '', Buffer.from('own'));
  await putBytes(store, recordingKey(tenantId, 1, 'lost'), Buffer.from('lost'));
  await suspend();
  expect((await remove()).status).toBe(204);
  expect(filesOf(tenantId)).toEqual([]);
  for (const count of await Promise.all([
    db.call.count({ where: { tenantId } }),
    db.agent.count({ where: { tenantId } }),
    db.queue.count({ where: { tenantId } }),
    db.channel.count({ where: { tenantId } }),
    db.ivrFlow.count({ where: { tenantId } }),
    db.audioAsset.count({ where: { tenantId } }),
    db.event.count({ where: { tenantId } }),
    db.callTally.count({ where: { tenantId } }),
    db.whatsAppEvent.count({ where: { whatsAppCallId: 'wacid' } }),
  ])) {
    expect(count).toBe(0);
  }
  expect(await whereWordsAre(web)).toEqual([]);
  expect(await db.usageRecord.count({ where: { tenantId } })).toBeGreaterThanOrEqual(calls.length);
  const entry = await db.auditEntry.findFirstOrThrow({ where: { action: 'tenant.delete', tenantId } });
  expect(entry.details).toEqual({
    calls: 2,
    recordings: 2,
    events: 4,
    ivrFlows: 1,
    lines: 1,
    queues: 2,
    audioAssets: 1,
    agents: 2,
    releasedNumbers: 1,
  });
  expectError(await remove(), 404, 'not_found');
  const answers = await db.idempotencyKey.findMany({
    where: { callId: { in: calls.map(({ callId }) => callId) } },
  });
  expect(answers).toHaveLength(2);
});

test('only a suspended tenant without live calls can be deleted', async () => {
  const { file } = await fullCall(web, fixture);
  expectError(await remove(), 409, 'tenant_active');
  const { callId } = (
    await call('createCall', {
      key,
      path,
      body: { channel_ref: 'main', agent_ref: 'ada', customer: { address: '+442079460123' } },
    })
  ).json.call;
  await suspend();
  expectError(await remove(), 409, 'call_active');
  expect(await store.sizeOf(file)).toBe(10);
  expect(await web.runtime.db.call.count({ where: { tenantId: await tenantIdOf() } })).toBe(2);
  await call('terminateCall', { key, path: { callId } });
  expect((await remove()).status).toBe(204);
});

test('a call that a line admits while the deletion begins stops it before a file is removed', async () => {
  const { db } = web.runtime;
  const { callId, file } = await fullCall(web, fixture);
  const tenantId = await tenantIdOf();
  await call('putTenant', { key, path, body: { name: 'Shop', status: 'SUSPENDED' } });
  const removing = remove();
  await expect.poll(() => db.channel.count({ where: { tenantId, status: 'ACTIVE' } })).toBe(0);
  const { consumerId } = await db.call.findUniqueOrThrow({ where: { id: callId } });
  await db.liveCall.create({ data: { callId, consumerId, tenantId, state: {} } });
  expectError(await removing, 409, 'call_active');
  expect(await store.sizeOf(file)).toBe(10);
  await db.liveCall.delete({ where: { callId } });
  expect((await remove()).status).toBe(204);
});

test('while the store is away it is 503 and no row is changed; what is left is finished afterwards', async () => {
  const { db } = web.runtime;
  const tenantId = await tenantIdOf();
  const calls = [await fullCall(web, fixture), await fullCall(web, fixture), await fullCall(web, fixture)];
  await suspend();
  const rows = async () => ({
    calls: await db.call.findMany({
      where: { tenantId },
      include: { recording: true, events: true },
      orderBy: { id: 'asc' },
    }),
    assets: await db.audioAsset.findMany({ where: { tenantId } }),
    audits: await db.auditEntry.count({ where: { tenantId } }),
  });
  const before = await rows();
  await s3.stopListening();
  expectError(await remove(), 503, 'storage_unavailable');
  await s3.startListening();
  expect(await rows()).toEqual(before);
  s3.trouble = (method, name) => (method === 'DELETE' && name === calls[2]?.file.key ? 500 : null);
  expectError(await remove(), 503, 'storage_unavailable');
  // Audio assets are removed after recordings, and other files last.
  s3.trouble = (method, name) => (method === 'GET' && name === '' ? 500 : null);
  expectError(await remove(), 503, 'storage_unavailable');
  expect(await rows()).toEqual(before);
  s3.trouble = () => null;
  expect((await remove()).status).toBe(204);
  expect(filesOf(tenantId)).toEqual([]);
});

test('a tenant without files cannot be deleted either while the store is unavailable', async () => {
  await call('putTenant', { key, path: { tenantRef: 'empty' }, body: { name: 'E', status: 'SUSPENDED' } });
  await s3.stopListening();
  expectError(await call('deleteTenant', { key, path: { tenantRef: 'empty' } }), 503, 'storage_unavailable');
  await s3.startListening();
  expect((await call('deleteTenant', { key, path: { tenantRef: 'empty' } })).status).toBe(204);
});

test('an audio upload during the deletion of its tenant leaves no file', async () => {
  const tenantId = await tenantIdOf();
  await suspend();
  let uploads = 0;
  web.runtime.store = {
    ...store,
    async removeAll(prefix) {
      const removed = await store.removeAll(prefix);
      uploads += 1;
      if (uploads === 1) {
        await call('createAudioAsset', { key, path, body: registry.createAudioAsset.example.body });
      }
      return removed;
    },
  };
  expect((await remove()).status).toBe(204);
  expect(uploads).toBe(2);
  expect(filesOf(tenantId)).toEqual([]);
});

test('of two concurrent DELETEs one succeeds and the other is a 404', async () => {
  const like = await fullCall(web, fixture);
  await manyCalls(1500, like);
  await suspend();
  const answers = await Promise.all([remove(), remove()]);
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  expect(statuses).toEqual([204, 404]);
});

test('thousands of calls are deleted in one request, and the next request finishes an interrupted deletion', async () => {
  const { db } = web.runtime;
  const tenantId = await tenantIdOf();
  const like = await fullCall(web, fixture);
  await manyCalls(5_000, like);
  await db.$executeRaw`
    insert into "CallLifecycle" ("callId", "type", "occurredAt")
    select c."id", 'CREATED', now() from "Call" c, generate_series(1, 3) where c."tenantId" = ${tenantId}`;
  await db.$executeRaw`
    insert into "Event" ("eventId", "consumerId", "tenantId", "callId", "type", "body", "occurredAt")
    select gen_random_uuid(), c."consumerId", c."tenantId", c."id", 'call.transferred', '{}', now()
    from "Call" c where c."tenantId" = ${tenantId}`;
  await suspend();
  // After one batch the process loses its database connection.
  let transactions = 0;
  const dying = new Proxy(db, {
    get(target, name, receiver) {
      if (name === '$transaction' && (transactions += 1) > 2) throw new Error('the process was killed here');
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  web.runtime.db = dying;
  expect((await remove()).status).toBe(500);
  web.runtime.db = db;
  const left = await db.call.count({ where: { tenantId } });
  expect(left).toBeLessThan(5_001);
  expect(left).toBeGreaterThan(2_000);
  const started = performance.now();
  expect((await remove()).status).toBe(204);
  expect(performance.now() - started).toBeLessThan(10_000);
  const entries = await db.auditEntry.findMany({ where: { action: 'tenant.delete_calls', tenantId } });
  const counted = entries.map(({ details }) => (details as { calls: number }).calls);
  expect(counted.reduce((sum, calls) => sum + calls, 0)).toBe(5_001);
});
