import { randomUUID } from 'node:crypto';
import { FakeS3 } from '@clarion/testkit/peers/fake-s3';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Store } from '@clarion/store/store';
import { fullCall, secretWords, whereWordsAre } from '../full-call.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';
import type { TenantFixture } from '../tenant-fixture.ts';

let web: Web;
let fixture: TenantFixture;
let s3: FakeS3;
let store: Store;
let key: string;
const path = { tenantRef: 'shop' };
const [address] = secretWords;
beforeAll(async () => {
  s3 = await FakeS3.start();
  web = await startWeb(s3.env);
  ({ store } = web.runtime);
  fixture = await createTenantFixture(web, 'acme');
  key = fixture.key;
  const url = 'https://hooks.example.com/clarion';
  await call('putWebhook', { key, body: { url } });
});
afterEach(async () => {
  s3.trouble = () => null;
  web.runtime.store = store;
  const { db } = web.runtime;
  await db.call.deleteMany({});
  await db.idempotencyKey.deleteMany({});
  await db.auditEntry.deleteMany({ where: { action: 'customer.erase' } });
});
afterAll(async () => {
  await web.stop();
  await s3.stop();
});

const erase = (body: unknown = { address }, headers: Record<string, string> = {}) =>
  call('eraseCustomer', { key, path, body, headers });
const deliveries = () => web.runtime.db.eventDelivery.count();

test('an erased customer is in no row of any table, and their calls remain and are counted', async () => {
  const { db } = web.runtime;
  const first = await fullCall(web, fixture);
  const second = await fullCall(web, fixture);
  const other = await fullCall(web, fixture, { address: '+442079460999' });
  const { agentId, tenantId } = await db.call.findUniqueOrThrow({ where: { id: first.callId } });
  const channel = await db.channel.findFirstOrThrow({ where: { ref: 'main' } });
  await db.whatsAppEvent.create({
    data: {
      consumerId: channel.tenantId,
      channelId: channel.id,
      whatsAppCallId: `wacid.${address}`,
      type: 'connect',
      digest: Buffer.from('digest'),
      customerAddress: address.slice(1),
      payload: { from: address.slice(1), name: 'Grace Secret' },
    },
  });
  await db.engineOutbox.create({
    data: {
      callId: first.callId,
      effects: [
        {
          kind: 'media',
          mediaNodeId: 'm',
          order: { command: 'carrier:dial', legId: 'l', dial: { called: address } },
        },
      ],
    },
  });
  // The fixture shares the other texts between calls, so only the first address is searched for afterwards.
  const deliveriesOfOther = 2;
  expect(await deliveries()).toBe(3 * deliveriesOfOther);
  expect(await whereWordsAre(web, [address])).not.toEqual([]);

  const { json: erasure } = await erase({ address: '0044 20 7946 0123' });
  expect(erasure).toEqual({ callsErased: 2, recordingsDeleted: 2, activeCallsSkipped: 0 });
  expect(await whereWordsAre(web, [address, address.slice(1)])).toEqual([]);
  expect(await deliveries()).toBe(deliveriesOfOther);
  for (const { callId, file } of [first, second]) {
    expect(await store.sizeOf(file)).toBeNull();
    const detail = (await call('getCall', { key, path: { callId } })).json;
    expect(detail.call).toMatchObject({
      callId,
      status: 'TERMINATED',
      terminationReason: 'CANCELLED',
      customer: { address: null, name: null },
      externalRef: null,
      consumerMetadata: null,
      failureDetails: null,
      agentId,
    });
    expect(detail).toMatchObject({ events: [], recording: null });
    expect(detail.participants).toHaveLength(1);
    expect(detail.transfers).toHaveLength(1);
    expect(detail.ivrSessions).toMatchObject([{ outcome: 'QUEUE', inputs: [] }]);
    expect((await call('listEvents', { key, query: `call_id=${callId}` })).json.events).toEqual([]);
    expect(await db.usageRecord.count({ where: { callId } })).toBeGreaterThan(0);
  }
  const { stats } = (await call('listCalls', { key, path, query: 'stats=true' })).json;
  expect(stats).toMatchObject({ total: 3, lost: 3 });
  // Another customer's call is unchanged.
  expect((await call('getCall', { key, path: { callId: other.callId } })).json.call).toMatchObject({
    customer: { address: '+442079460999', name: 'Grace Secret' },
  });
  expect(await store.sizeOf(other.file)).toBe(10);
  // Retries of the requests that created the calls get a response without the customer.
  const answers = await db.idempotencyKey.findMany({
    where: { callId: { in: [first.callId, second.callId] } },
  });
  expect(answers).toHaveLength(2);
  for (const { status, body } of answers) {
    expect(status).toBe(201);
    expect(JSON.parse(String(body)).call).toMatchObject({ customer: { address: null, name: null } });
  }
  const entries = await db.auditEntry.findMany({
    where: { action: 'customer.erase' },
    orderBy: { id: 'asc' },
  });
  expect(entries).toMatchObject([
    { tenantId, target: 'calls', details: { calls: 2, recordings: 2, events: 4 } },
    { tenantId, target: 'customer', details: { whatsAppEvents: 1 } },
  ]);
  expect((await erase()).json).toEqual({ callsErased: 0, recordingsDeleted: 0, activeCallsSkipped: 0 });
});

test.each(['+442079460123', '442079460123', '00442079460123', '+44 (20) 7946-0123'])(
  '%s is the same customer',
  async (form) => {
    await fullCall(web, fixture);
    expect((await erase({ address: form })).json).toMatchObject({ callsErased: 1 });
  },
);

test('a SIP URI is a customer too', async () => {
  const uri = 'sip:grace@pbx.example.com';
  await fullCall(web, fixture, { address: uri });
  expect((await erase({ address: uri })).json).toMatchObject({ callsErased: 1, recordingsDeleted: 1 });
});

test('calls that have not ended are counted and left; they are erased once they end', async () => {
  const { callId } = (
    await call('createCall', {
      key,
      path,
      body: { channel_ref: 'main', agent_ref: 'ada', customer: { address, name: 'Grace Secret' } },
    })
  ).json.call;
  expect((await erase()).json).toEqual({ callsErased: 0, recordingsDeleted: 0, activeCallsSkipped: 1 });
  expect((await call('getCall', { key, path: { callId } })).json.call.customer.address).toBe(address);
  await call('terminateCall', { key, path: { callId } });
  expect((await erase()).json).toEqual({ callsErased: 1, recordingsDeleted: 0, activeCallsSkipped: 0 });
});

test('a recording that is still being processed is deleted too', async () => {
  const { callId } = await fullCall(web, fixture);
  const { db } = web.runtime;
  await db.recording.updateMany({
    where: { callId },
    data: { status: 'PROCESSING', storageKey: null, storageProvider: null },
  });
  expect((await erase()).json).toMatchObject({ recordingsDeleted: 1 });
  expect(await db.recording.count()).toBe(0);
});

test('calls of another tenant with the same customer stay', async () => {
  await fullCall(web, fixture);
  const other = { tenantRef: 'other' };
  await call('putTenant', { key, path: other, body: { name: 'Other' } });
  expect((await call('eraseCustomer', { key, path: other, body: { address } })).json).toMatchObject({
    callsErased: 0,
  });
  expect(await web.runtime.db.call.count({ where: { customerAddress: address } })).toBe(1);
  expectError(
    await call('eraseCustomer', { key, path: { tenantRef: 'none' }, body: { address } }),
    404,
    'not_found',
  );
});

test('an address is required, and at most 191 characters', async () => {
  expectError(await erase({}), 400, 'invalid_request', 'address');
  expectError(await erase({ address: ' ' }), 400, 'invalid_request', 'address');
  expectError(await erase({ address: '4'.repeat(192) }), 400, 'invalid_request', 'address');
  expect((await erase({ address: '4'.repeat(191) })).status).toBe(200);
});

test('while the store is away it is 503 and no row is changed; what is left is finished afterwards', async () => {
  const { db } = web.runtime;
  // The first call has no recording: it must not be erased while the others cannot be.
  const plain = await fullCall(web, fixture);
  await store.remove(plain.file);
  await db.recording.deleteMany({ where: { callId: plain.callId } });
  const recorded = [await fullCall(web, fixture), await fullCall(web, fixture), await fullCall(web, fixture)];
  const rows = () =>
    db.call.findMany({ include: { lifecycle: true, events: true, recording: true }, orderBy: { id: 'asc' } });
  const before = await rows();
  await s3.stopListening();
  expectError(await erase(), 503, 'storage_unavailable');
  await s3.startListening();
  expect(await rows()).toEqual(before);
  // The third file cannot be removed: the other two may be removed, but no row is changed.
  s3.trouble = (method, name) => (method === 'DELETE' && name === recorded[2]?.file.key ? 503 : null);
  expectError(await erase(), 503, 'storage_unavailable');
  expect(await rows()).toEqual(before);
  expect(await db.auditEntry.count({ where: { action: 'customer.erase' } })).toBe(0);
  s3.trouble = () => null;
  expect((await erase()).json).toEqual({ callsErased: 4, recordingsDeleted: 3, activeCallsSkipped: 0 });
  expect([...s3.objects.keys()].filter((name) => recorded.some(({ file }) => file.key === name))).toEqual([]);
});

test('under an Idempotency-Key the first response is stored, and a 503 is not', async () => {
  await fullCall(web, fixture);
  const headers = { 'idempotency-key': 'erase-1' };
  await s3.stopListening();
  expectError(await erase({ address }, headers), 503, 'storage_unavailable');
  await s3.startListening();
  expect((await erase({ address }, headers)).json).toMatchObject({ callsErased: 1 });
  const replay = await erase({ address }, headers);
  expect(replay.json).toMatchObject({ callsErased: 1 });
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
});

test('two concurrent erasures and a DELETE erase each call once', async () => {
  const calls = [await fullCall(web, fixture), await fullCall(web, fixture), await fullCall(web, fixture)];
  const [a, b, removed] = await Promise.all([
    erase(),
    erase({ address: '442079460123' }),
    call('deleteCall', { key, path: { callId: calls[1]?.callId ?? 0 } }),
  ]);
  expect(removed.status).toBe(204);
  const erased = a.json.callsErased + b.json.callsErased;
  expect([2, 3]).toContain(erased);
  expect(await web.runtime.db.call.count()).toBe(2);
  expect(await whereWordsAre(web)).toEqual([]);
});

test('ten thousand calls of one customer, each recorded, are erased in one request', async () => {
  const { db } = web.runtime;
  const { callId } = await fullCall(web, fixture);
  await db.$executeRaw`
    insert into "Call" ("consumerId", "tenantId", "direction", "status", "channelRef", "channelType", "customerAddress",
      "customerAddressType", "customerName", "terminationReason", "createdAt", "endedAt")
    select "consumerId", "tenantId", 'INBOUND', 'TERMINATED', 'main', 'SIP', ${address}, 'E164', 'Grace Secret', 'CANCELLED',
      now() - n * interval '1 minute', now()
    from "Call", generate_series(1, 9999) n where "id" = ${callId}`;
  await db.$executeRaw`
    insert into "Recording" ("callId", "status", "storageProvider", "storageKey", "completedAt")
    select c."id", 'COMPLETED', 's3', 'tenants/1/recordings/r' || c."id" || '/call.ogg', now()
    from "Call" c where c."id" <> ${callId}`;
  await db.$executeRaw`
    insert into "CallLifecycle" ("callId", "type", "occurredAt", "metadata")
    select c."id", 'CREATED', now(), '{"from": "Grace Secret"}' from "Call" c, generate_series(1, 5)`;
  await db.$executeRaw`
    insert into "Event" ("eventId", "consumerId", "tenantId", "callId", "type", "body", "occurredAt")
    select gen_random_uuid(), c."consumerId", c."tenantId", c."id", 'call.transferred', 'Grace Secret', now()
    from "Call" c, generate_series(1, 3)`;
  // The store's response for a file that was removed already; the tests above cover the files.
  web.runtime.store = { ...store, remove: async () => undefined };
  const started = performance.now();
  expect((await erase()).json).toEqual({
    callsErased: 10_000,
    recordingsDeleted: 10_000,
    activeCallsSkipped: 0,
  });
  expect(performance.now() - started).toBeLessThan(15_000);
  expect(await whereWordsAre(web)).toEqual([]);
  const entries = await db.auditEntry.findMany({ where: { action: 'customer.erase', target: 'calls' } });
  const counted = entries.map(({ details }) => (details as { calls: number }).calls);
  expect(counted.reduce((sum, calls) => sum + calls, 0)).toBe(10_000);
});

test('an erasure that was interrupted between two batches is finished by the next', async () => {
  const { db } = web.runtime;
  const { callId } = await fullCall(web, fixture);
  await db.$executeRaw`
    insert into "Call" ("consumerId", "tenantId", "direction", "status", "channelRef", "channelType", "customerAddress",
      "customerAddressType", "terminationReason", "createdAt", "endedAt")
    select "consumerId", "tenantId", 'INBOUND', 'TERMINATED', 'main', 'SIP', ${address}, 'E164', 'CANCELLED', now(), now()
    from "Call", generate_series(1, 1200) n where "id" = ${callId}`;
  const last = await db.call.findFirstOrThrow({ orderBy: { id: 'desc' } });
  // It completes during the first batches, so its file is removed in the last one, where the process dies.
  await db.recording.create({ data: { callId: last.id, status: 'PROCESSING' } });
  let files = 0;
  web.runtime.store = {
    ...store,
    async remove(file) {
      files += 1;
      if (files === 1) {
        await store.remove(file);
        await db.recording.updateMany({
          where: { callId: last.id },
          data: {
            status: 'COMPLETED',
            storageProvider: 's3',
            storageKey: 'tenants/1/recordings/late/call.ogg',
          },
        });
        return;
      }
      throw new Error('the process was killed here');
    },
  };
  expect((await erase()).status).toBe(500);
  const left = await db.call.count({ where: { customerAddress: address } });
  web.runtime.store = store;
  expect((await erase()).json).toEqual({
    callsErased: left,
    recordingsDeleted: left === 1201 ? 2 : 1,
    activeCallsSkipped: 0,
  });
  expect(await db.call.count({ where: { customerAddress: address } })).toBe(0);
  expect(await db.recording.count()).toBe(0);
});

test('erasing leaves rejected calls: they contain the number that was called', async () => {
  const { db } = web.runtime;
  const { consumerId } = await db.tenant.findFirstOrThrow({ where: { channels: { some: { ref: 'main' } } } });
  const own = await db.sipTrunk.create({
    data: { consumerId, name: 'own', host: 'carrier.example', ingressLabel: 'acme-own' },
  });
  const source = '203.0.113.77';
  for (const trunkId of [own.id, fixture.trunkId, null]) {
    await db.sipRefusal.create({
      data: { trunkId, status: 404, source, number: address, reason: 'No line.' },
    });
  }
  await erase({ address: source });
  await erase({ address });
  expect(await db.sipRefusal.count({ where: { source } })).toBe(3);
});

test('withheld numbers are not one customer: they cannot be erased or listed together', async () => {
  const { db } = web.runtime;
  const { callId } = await fullCall(web, fixture);
  await db.call.update({ where: { id: callId }, data: { customerAddress: null, customerWithheld: true } });
  for (const word of ['anonymous', ' Anonymous ']) {
    expectError(await erase({ address: word }), 400, 'invalid_request', 'address');
    const query = `customer=${encodeURIComponent(word)}`;
    expectError(await call('listCalls', { key, path, query }), 400, 'invalid_request', 'customer');
  }
  expect((await call('getCall', { key, path: { callId } })).json.call).toMatchObject({
    customer: { address: 'anonymous', addressWithheld: true },
    externalRef: expect.any(String),
  });
});

test('an erased customer is removed from the calls that were forwarded from own trunks of the account', async () => {
  const { db } = web.runtime;
  const { consumerId } = await db.tenant.findFirstOrThrow({ where: { ref: 'shop' } });
  const forwarded = async (owner: number | null, numbers: { caller: string; called: string }) => {
    const name = `forwards-${randomUUID()}`;
    const data = { consumerId: owner, name, ingressLabel: name, host: 'sip.carrier.example' };
    const { id: trunkId } = await db.sipTrunk.create({ data });
    const ids = { inviteId: randomUUID(), mediaNodeId: 'm', inLegId: 'in', outLegId: 'out' };
    const { id } = await db.forwardedCall.create({
      data: { ...ids, trunkId, startedAt: new Date(), ...numbers },
    });
    return async () => {
      const { caller, called } = await db.forwardedCall.findUniqueOrThrow({ where: { id } });
      return { caller, called };
    };
  };
  const other = { caller: '+442079460999', called: '442079460999' };
  const calling = await forwarded(consumerId, { ...other, caller: address });
  const called = await forwarded(consumerId, { ...other, called: address.slice(1) });
  const platform = await forwarded(null, { ...other, caller: address });
  await erase();
  expect(await calling()).toEqual({ ...other, caller: null });
  expect(await called()).toEqual({ ...other, called: null });
  expect(await platform()).toEqual({ ...other, caller: address });
  await db.forwardedCall.deleteMany({});
});
