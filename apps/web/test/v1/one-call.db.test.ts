/** PATCH, DELETE, the recording and the detail of one call. */
import { stepCall } from '@clarion/core/call-engine/step-call';
import { FakeS3 } from '@clarion/testkit/peers/fake-s3';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Store } from '@clarion/store/store';
import { fullCall, whereWordsAre } from '../full-call.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';
import type { TenantFixture } from '../tenant-fixture.ts';

let web: Web;
let fixture: TenantFixture;
let s3: FakeS3;
let store: Store;
let key: string;
beforeAll(async () => {
  s3 = await FakeS3.start();
  web = await startWeb(s3.env);
  ({ store } = web.runtime);
  fixture = await createTenantFixture(web, 'acme');
  key = fixture.key;
});
afterEach(async () => {
  s3.trouble = () => null;
  web.runtime.store = store;
  await web.runtime.db.call.deleteMany({});
  await web.runtime.db.idempotencyKey.deleteMany({});
});
afterAll(async () => {
  await web.stop();
  await s3.stop();
});

const create = async () =>
  (
    await call('createCall', {
      key,
      path: { tenantRef: 'shop' },
      body: {
        channel_ref: 'main',
        agent_ref: 'ada',
        customer: { address: '+442079460123' },
        external_ref: 'first',
        consumer_metadata: { first: true },
      },
    })
  ).json.call;
const patch = (callId: number | string, body: unknown) => call('patchCall', { key, path: { callId }, body });
const remove = (callId: number | string) => call('deleteCall', { key, path: { callId } });
const recordingOf = (callId: number | string) => call('getRecording', { key, path: { callId } });
const rowsOf = async (callId: number) => {
  const { db } = web.runtime;
  const where = { callId };
  return {
    call: await db.call.count({ where: { id: callId } }),
    legs: await db.callLeg.count({ where }),
    participants: await db.callParticipant.count({ where }),
    lifecycle: await db.callLifecycle.count({ where }),
    transfers: await db.callTransfer.count({ where }),
    ivrSessions: await db.ivrSession.count({ where }),
    recordings: await db.recording.count({ where }),
    events: await db.event.count({ where }),
  };
};
const nothing = {
  call: 0,
  legs: 0,
  participants: 0,
  lifecycle: 0,
  transfers: 0,
  ivrSessions: 0,
  recordings: 0,
  events: 0,
};

test('PATCH changes given fields, clears null ones and keeps the rest, and later events contain the result', async () => {
  const { callId } = await create();
  const changed = (await patch(callId, { external_ref: ' second ' })).json.call;
  expect(changed).toMatchObject({ externalRef: 'second', consumerMetadata: { first: true } });
  const metadata = { nested: { list: [null, ''] } };
  expect((await patch(callId, { consumer_metadata: metadata })).json.call).toMatchObject({
    externalRef: 'second',
    consumerMetadata: metadata,
  });
  expect((await patch(callId, {})).json.call).toMatchObject({
    externalRef: 'second',
    consumerMetadata: metadata,
  });
  expect((await patch(callId, { external_ref: '   ' })).json.call.externalRef).toBe('second');
  await call('terminateCall', { key, path: { callId } });
  const { body } = await web.runtime.db.event.findFirstOrThrow({ where: { callId, type: 'call.ended' } });
  expect(JSON.parse(body).data.call).toMatchObject({ externalRef: 'second', consumerMetadata: metadata });
  const cleared = (await patch(callId, { external_ref: null, consumer_metadata: null })).json.call;
  expect(cleared).toMatchObject({ externalRef: null, consumerMetadata: null, status: 'TERMINATED' });
  expect(
    await web.runtime.db.auditEntry.count({ where: { action: 'call.patch', target: String(callId) } }),
  ).toBe(5);
});

test('PATCH notifies the agent of a live call after the commit, and a step that was loaded before conflicts', async () => {
  const { callId } = await create();
  const { db } = web.runtime;
  const versionOf = async () => (await db.liveCall.findUniqueOrThrow({ where: { callId } })).version;
  const before = await versionOf();
  await db.engineOutbox.deleteMany({});
  await patch(callId, { external_ref: 'seen' });
  expect(await db.engineOutbox.findMany({ where: { callId }, select: { effects: true } })).toEqual([
    { effects: [{ kind: 'notify-agent', agentId: expect.any(Number), what: { message: 'updated' } }] },
  ]);
  expect(await versionOf()).toBe(before + 1);
});

test('PATCH has the bounds of createCall and a 404 for unknown calls', async () => {
  const { callId } = await create();
  expect((await patch(callId, { external_ref: 'x'.repeat(191) })).status).toBe(200);
  expectError(await patch(callId, { external_ref: 'x'.repeat(192) }), 400, 'invalid_request', 'external_ref');
  expectError(await patch(callId, { external_ref: 7 }), 400, 'invalid_request', 'external_ref');
  for (const bad of ['text', [1], { bad: 'a\0b' }]) {
    expectError(await patch(callId, { consumer_metadata: bad }), 400, 'invalid_request', 'consumer_metadata');
  }
  for (const unknown of [999_999, 'abc']) expectError(await patch(unknown, {}), 404, 'not_found');
});

test('the detail has the recording and the IVR sessions', async () => {
  const { callId } = await fullCall(web, fixture);
  const detail = (await call('getCall', { key, path: { callId } })).json;
  expect(detail.recording).toEqual({
    id: expect.any(Number),
    status: 'completed',
    durationSeconds: 63,
    format: 'ogg',
    channelMap: { left: 'CUSTOMER', right: 'AGENT' },
    completedAt: '2026-01-05T09:01:10.000Z',
    failureReason: null,
  });
  expect(detail.ivrSessions).toEqual([
    {
      id: expect.any(Number),
      ivrFlowId: 9,
      completed: true,
      outcome: 'QUEUE',
      durationSeconds: 12,
      startedAt: '2026-01-05T09:00:00.000Z',
      endedAt: '2026-01-05T09:00:12.000Z',
      inputs: [{ nodeName: 'menu', input: '4', pressedAt: '2026-01-05T09:00:05.000Z' }],
    },
  ]);
  await web.runtime.db.recording.updateMany({
    data: { status: 'FAILED', failureReason: 'The disk was full.' },
  });
  const failed = (await call('getCall', { key, path: { callId } })).json.recording;
  expect(failed).toMatchObject({ status: 'failed', failureReason: 'The disk was full.' });
});

test('the recording has a URL that is valid for five minutes', async () => {
  const { callId } = await fullCall(web, fixture);
  const { url, ...rest } = (await recordingOf(callId)).json;
  expect(rest).toEqual({
    expiresInSeconds: 300,
    format: 'ogg',
    channelMap: { left: 'CUSTOMER', right: 'AGENT' },
  });
  const download = await fetch(url);
  expect([download.status, download.headers.get('content-type'), await download.text()]).toEqual([
    200,
    'audio/ogg',
    'OggS sound',
  ]);
});

test('the recording is 404 until it is completed, and 503 while the store is unavailable', async () => {
  const { db } = web.runtime;
  const { callId, file } = await fullCall(web, fixture);
  for (const status of ['RECORDING', 'PROCESSING', 'FAILED'] as const) {
    await db.recording.updateMany({ where: { callId }, data: { status } });
    expectError(await recordingOf(callId), 404, 'not_found');
  }
  await db.recording.updateMany({ where: { callId }, data: { status: 'COMPLETED' } });
  s3.trouble = () => 503;
  expectError(await recordingOf(callId), 503, 'storage_unavailable');
  s3.trouble = () => null;
  await s3.stopListening();
  expectError(await recordingOf(callId), 503, 'storage_unavailable');
  await s3.startListening();
  await store.remove(file);
  expectError(await recordingOf(callId), 404, 'not_found');
  await db.recording.deleteMany({ where: { callId } });
  expectError(await recordingOf(callId), 404, 'not_found');
  expectError(await recordingOf(999_999), 404, 'not_found');
});

test('DELETE removes everything of an ended call except its usage and the audit entry', async () => {
  const { db } = web.runtime;
  const other = await fullCall(web, fixture, { address: '+442079460999' });
  const { callId, file, idempotencyKey } = await fullCall(web, fixture);
  expect((await remove(callId)).status).toBe(204);
  expect(await rowsOf(callId)).toEqual(nothing);
  expect(await store.sizeOf(file)).toBeNull();
  expect(await db.usageRecord.count({ where: { callId } })).toBeGreaterThan(0);
  expect((await call('listEvents', { key, query: `call_id=${callId}` })).json.events).toEqual([]);
  expectError(await call('getCall', { key, path: { callId } }), 404, 'not_found');
  expectError(await remove(callId), 404, 'not_found');
  const entries = await db.auditEntry.findMany({ where: { action: 'call.delete', target: String(callId) } });
  expect(entries).toMatchObject([{ details: { recordings: 1, events: 2 } }]);
  // The other call, with the same customer name and references, is complete.
  expect(await rowsOf(other.callId)).toMatchObject({ call: 1, recordings: 1, ivrSessions: 1 });
  expect(await store.sizeOf(other.file)).toBe(10);
  expect(await whereWordsAre(web, ['+442079460123'])).toEqual([]);
  // A retry of the request that created the call gets the same response without the customer, and dials no one.
  const replay = await call('createCall', {
    key,
    path: { tenantRef: 'shop' },
    headers: { 'idempotency-key': idempotencyKey },
    body: {
      channel_ref: 'main',
      agent_ref: 'ada',
      customer: { address: '+442079460123', name: 'Grace Secret' },
      external_ref: 'secret-ref',
      consumer_metadata: { note: 'secret-metadata' },
    },
  });
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
  expect(replay.json.call).toMatchObject({
    callId,
    customer: { address: null, name: null },
    externalRef: null,
    consumerMetadata: null,
  });
  expect(await db.call.count()).toBe(1);
});

test('DELETE of a live call is rejected', async () => {
  const { callId } = await create();
  expectError(await remove(callId), 409, 'call_active');
  expect(await web.runtime.db.liveCall.count({ where: { callId } })).toBe(1);
  await call('terminateCall', { key, path: { callId } });
  expect((await remove(callId)).status).toBe(204);
});

test.each([
  [
    'answers 500',
    async () => {
      s3.trouble = (method) => (method === 'DELETE' ? 500 : null);
    },
    async () => undefined,
  ],
  ['refuses the connection', () => s3.stopListening(), () => s3.startListening()],
])(
  'DELETE while the store %s is 503 and changes nothing; it goes through afterwards',
  async (_, away, back) => {
    const { callId, file } = await fullCall(web, fixture);
    const before = await rowsOf(callId);
    await away();
    expectError(await remove(callId), 503, 'storage_unavailable');
    await back();
    s3.trouble = () => null;
    expect(await rowsOf(callId)).toEqual(before);
    expect(await store.sizeOf(file)).toBe(10);
    expect((await remove(callId)).status).toBe(204);
    expect(await rowsOf(callId)).toEqual(nothing);
  },
);

test('a DELETE that was interrupted after the file was removed is finished by the next', async () => {
  const { callId } = await fullCall(web, fixture);
  web.runtime.store = {
    ...store,
    async remove(file) {
      await store.remove(file);
      throw new Error('the process was killed here');
    },
  };
  expect((await remove(callId)).status).toBe(500);
  expect((await rowsOf(callId)).recordings).toBe(1);
  web.runtime.store = store;
  expectError(await recordingOf(callId), 404, 'not_found');
  expect((await remove(callId)).status).toBe(204);
  expect(await rowsOf(callId)).toEqual(nothing);
});

test('deleting a call deletes a recording that is being processed, and one that completes in the meantime with its file', async () => {
  const { db } = web.runtime;
  const { callId, file } = await fullCall(web, fixture);
  await db.recording.updateMany({
    where: { callId },
    data: { status: 'PROCESSING', storageKey: null, storageProvider: null },
  });
  let completed = false;
  // After the first check of the files: the recording completes just before the rows are deleted.
  const { $transaction: begin } = db;
  const spied = new Proxy(db, {
    get(target, name, receiver) {
      if (name !== '$transaction') return Reflect.get(target, name, receiver) as unknown;
      return async (...args: Parameters<typeof begin>) => {
        if (!completed) {
          completed = true;
          await db.recording.updateMany({
            where: { callId },
            data: { status: 'COMPLETED', storageKey: file.key, storageProvider: file.provider },
          });
        }
        return begin.apply(target, args);
      };
    },
  });
  web.runtime.db = spied;
  try {
    expect((await remove(callId)).status).toBe(204);
  } finally {
    web.runtime.db = db;
  }
  expect(completed).toBe(true);
  expect(await rowsOf(callId)).toEqual(nothing);
  expect(await store.sizeOf(file)).toBeNull();
});

test('of five concurrent DELETEs one succeeds and the others are 404', async () => {
  const { callId } = await fullCall(web, fixture);
  const answers = await Promise.all(Array.from({ length: 5 }, () => remove(callId)));
  expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
  for (const answer of answers.filter(({ status }) => status !== 204)) expectError(answer, 404, 'not_found');
});

test('the detail of a started call names its participants, legs and log', async () => {
  const { callId, agentId } = await create();
  await stepCall(
    web.runtime.db,
    callId,
    { type: 'start', agentId: agentId ?? 0, deviceId: 'd1', legId: crypto.randomUUID(), mediaNodeId: 'm1' },
    new Date(),
  );
  const detail = (await call('getCall', { key, path: { callId } })).json;
  expect(detail.participants).toMatchObject([
    { kind: 'AGENT', agentRef: 'ada', deviceId: 'd1', leftAt: null },
  ]);
  expect(detail.legs).toMatchObject([{ type: 'AGENT', deviceId: 'd1', state: 'CONNECTING' }]);
  await call('terminateCall', { key, path: { callId } });
  const after = (await call('getCall', { key, path: { callId } })).json;
  expect(after.participants[0]).toMatchObject({ leaveReason: 'ENDED' });
  expect(after.events.map(({ type }) => type)).toContain('ENDED');
});
