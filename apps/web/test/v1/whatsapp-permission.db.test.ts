/** The permission ledger over the API: what webhooks, requests and erasures do to it. */
import { sendPermissionRequest } from '@clarion/core/whatsapp/send-permission-request';
import { purgeWhatsApp } from '@clarion/core/whatsapp/purge-whatsapp';
import type { Prisma } from '@clarion/db';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { whereWordsAre } from '../full-call.ts';
import { metaWith } from '../meta-with.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const DAY_MS = 24 * 60 * 60_000;
const WA_ID = '12185552828';
const ADDRESS = `+${WA_ID}`;
const USER_ID = 'US.1349';
const path = { tenantRef: 'shop' };

let web: Web;
let key: string;
let rival: string;
beforeAll(async () => {
  web = await startWeb();
  web.setNow(NOW);
  key = (await createTenantFixture(web, 'acme')).key;
  rival = (await createTenantFixture(web, 'rival')).key;
  await call('putWebhook', { key, body: { url: 'https://hooks.example.com/clarion' } });
  const line = (channelRef: string, more: object) =>
    call('putChannel', { key, path: { ...path, channelRef }, body: { type: 'WHATSAPP', ...more } });
  await line('wa', {
    address: '+447700900001',
    provider_account_id: '1001',
    credentials: { access_token: 'EAAG-token' },
  });
  await line('bare', {
    address: '+447700900002',
    provider_account_id: '1002',
    credentials: { access_token: 'x' },
  });
  await web.runtime.db.channel.update({
    where: { providerAccountId: '1002' },
    data: { credentialsSealed: null },
  });
});
afterAll(() => web.stop());
beforeEach(async () => {
  web.setNow(NOW);
  const { db } = web.runtime;
  await db.whatsAppPermission.deleteMany();
  await db.event.deleteMany();
  await db.$executeRaw`delete from graphile_worker._private_jobs`;
});

const get = (address: string, channel = 'wa', as = key) =>
  call('getWhatsAppPermission', {
    key: as,
    path,
    query: new URLSearchParams({ channel_ref: channel, address }).toString(),
  });
const permissionOf = async (address = ADDRESS) => (await get(address)).json.permission;
const ask = (body: object = {}, headers: Record<string, string> = {}) =>
  call('requestWhatsAppPermission', {
    key,
    path,
    body: { channel_ref: 'wa', address: ADDRESS, text: 'May we call you?', ...body },
    headers,
  });
const seconds = (days: number) => String(Math.floor((NOW.getTime() + days * DAY_MS) / 1000));
const reply = (more: object = {}, sender: object = { from: WA_ID, from_user_id: USER_ID }, day = 0) => ({
  ...sender,
  id: 'wamid.x',
  timestamp: seconds(day),
  type: 'interactive',
  interactive: {
    type: 'call_permission_reply',
    call_permission_reply: {
      response: 'accept',
      is_permanent: false,
      expiration_timestamp: seconds(7),
      ...more,
    },
  },
});
const webhook = (field: 'messages' | 'calls', account: string, content: object, as = key) =>
  call('forwardWhatsApp', {
    key: as,
    body: {
      entry: [{ changes: [{ field, value: { metadata: { phone_number_id: account }, ...content } }] }],
    },
  });
const forward = (account: string, messages: unknown[], as = key) =>
  webhook('messages', account, { messages }, as);
const events = () =>
  web.runtime.db.event.findMany({
    where: { type: 'whatsapp.permission_changed' },
    orderBy: { id: 'asc' },
  });
const bodies = async () => (await events()).map(({ body }) => JSON.parse(body));

describe('GET', () => {
  test('a customer of whom nothing is known', async () => {
    expect(await permissionOf('0012185552828')).toEqual({
      channelRef: 'wa',
      customer: { address: ADDRESS, addressType: 'WHATSAPP_USER', userId: null },
      status: 'UNKNOWN',
      canCall: false,
      expiresAt: null,
      unansweredCalls: 0,
      request: null,
      changedAt: null,
    });
  });
  test('400 for an unknown line or address, 409 for a line of another type', async () => {
    expectError(await get(ADDRESS, 'none'), 400, 'invalid_request', 'channel_ref');
    expectError(await get(ADDRESS, 'main'), 409, 'unsupported_channel');
    for (const wrong of ['sip:ada@example.com', '112', 'US.', 'anonymous']) {
      expectError(await get(wrong), 400, 'invalid_request', 'address');
    }
    expectError(await get(ADDRESS, 'wa', rival), 400, 'invalid_request', 'channel_ref');
  });
});

describe('replies in webhooks', () => {
  test('grant a permission, which is known by number and by user ID and expires', async () => {
    await forward('1001', [reply()]);
    const granted = { status: 'TEMPORARY', canCall: true, expiresAt: '2026-03-08T12:00:00.000Z' };
    for (const address of [ADDRESS, WA_ID, USER_ID, 'us.1349']) {
      expect(await permissionOf(address), address).toMatchObject({
        ...granted,
        customer: { address: ADDRESS, userId: USER_ID },
      });
    }
    expect(await bodies()).toMatchObject([
      { tenant_ref: 'shop', data: { permission: { channelRef: 'wa', ...granted } } },
    ]);
    web.setNow(new Date(NOW.getTime() + 7 * DAY_MS));
    expect(await permissionOf()).toMatchObject({ status: 'EXPIRED', canCall: false });
  });

  test('of a customer who shows the number later belong to one permission', async () => {
    await forward('1001', [reply({}, { from_user_id: USER_ID })]);
    expect(await permissionOf(USER_ID)).toMatchObject({ customer: { address: USER_ID } });
    await forward('1001', [reply({ is_permanent: true }, undefined, 1)]);
    for (const address of [ADDRESS, USER_ID]) {
      expect(await permissionOf(address)).toMatchObject({
        status: 'PERMANENT',
        customer: { address: ADDRESS, userId: USER_ID },
      });
    }
    expect(await web.runtime.db.whatsAppPermission.count()).toBe(1);
  });

  test('change nothing when they are repeated, concurrently or late', async () => {
    await Promise.all(Array.from({ length: 6 }, () => forward('1001', [reply()])));
    await forward('1001', [reply({ response: 'reject' }, { from_user_id: USER_ID }, 1)]);
    await forward('1001', [reply()]);
    expect(await permissionOf()).toMatchObject({ status: 'REVOKED', canCall: false });
    const statuses = (await bodies()).map(({ data }) => data.permission.status);
    expect(statuses).toEqual(['TEMPORARY', 'REVOKED']);
    expect(await web.runtime.db.whatsAppPermission.count()).toBe(1);
  });

  test('on numbers of others are ignored', async () => {
    await forward('1001', [reply()], rival);
    await forward('9999', [reply()]);
    expect(await web.runtime.db.whatsAppPermission.count()).toBe(0);
    expect(await events()).toEqual([]);
  });

  test('several of one webhook are all recorded', async () => {
    await forward('1001', [
      reply({}, { from: '12185550001' }),
      { type: 'text' },
      reply({ is_permanent: true }, { from_user_id: 'US.77' }),
    ]);
    expect(await permissionOf('+12185550001')).toMatchObject({ status: 'TEMPORARY' });
    expect(await permissionOf('US.77')).toMatchObject({ status: 'PERMANENT', expiresAt: null });
  });
});

const noPermission = { status: 200, body: { permission: { status: 'no_permission' }, actions: [] } };
const messageSent = { status: 200, body: { messages: [{ id: 'wamid.1' }] } };

async function runJobs(graph: ReturnType<typeof metaWith>['graph']): Promise<number> {
  const { db, secrets, now } = web.runtime;
  const jobs = await db.$queryRaw<{ payload: { permissionId: number; text: string } }[]>`
    delete from graphile_worker._private_jobs returning payload`;
  for (const { payload } of jobs) await sendPermissionRequest({ db, secrets, graph, now }, payload);
  return jobs.length;
}

describe('POST', () => {
  test('asks the customer with a message, after the response', async () => {
    const answer = await ask();
    expect(answer.status).toBe(202);
    expect(answer.json.permission).toMatchObject({
      status: 'UNKNOWN',
      request: { status: 'PENDING', requestedAt: NOW.toISOString(), failure: null },
    });
    const { sent, graph } = metaWith(noPermission, messageSent);
    expect(await runJobs(graph)).toBe(1);
    expect(sent[1]).toMatchObject({
      url: expect.stringContaining('/1001/messages'),
      body: {
        to: WA_ID,
        interactive: { type: 'call_permission_request', body: { text: 'May we call you?' } },
      },
    });
    expect(await permissionOf()).toMatchObject({
      status: 'NONE',
      request: { status: 'SENT', failure: null },
    });
  });

  test('stores why WhatsApp refused the request', async () => {
    await ask();
    const error = { status: 400, body: { error: { code: 138_009, message: 'Limit', error_data: null } } };
    await runJobs(metaWith(noPermission, error).graph);
    const { request } = await permissionOf();
    expect(request).toMatchObject({ status: 'FAILED', failure: { providerCode: 138_009 } });
    expect(request?.failure?.message).toContain('asked for the permission too often');
  });

  test('sends no message to a customer who has allowed calls permanently', async () => {
    await ask();
    const { sent, graph } = metaWith({ status: 200, body: { permission: { status: 'permanent' } } });
    await runJobs(graph);
    expect(sent).toHaveLength(1);
    expect(await permissionOf()).toMatchObject({
      status: 'PERMANENT',
      canCall: true,
      request: { status: 'FAILED', failure: { providerCode: 138_017 } },
    });
  });

  test('does not send twice after a crash or a timeout', async () => {
    await ask();
    const { db, secrets, now } = web.runtime;
    const { id } = await db.whatsAppPermission.findFirstOrThrow();
    const timedOut = metaWith(noPermission);
    await sendPermissionRequest({ db, secrets, now, graph: timedOut.graph }, { permissionId: id, text: 'x' });
    expect(timedOut.sent).toHaveLength(2);
    expect(await permissionOf()).toMatchObject({
      request: { status: 'FAILED', failure: { providerCode: null } },
    });
    await db.whatsAppPermission.update({ where: { id }, data: { requestStatus: 'SENDING' } });
    const again = metaWith(noPermission, messageSent);
    await sendPermissionRequest({ db, secrets, now, graph: again.graph }, { permissionId: id, text: 'x' });
    expect(again.sent).toEqual([]);
    expect(await permissionOf()).toMatchObject({ request: { status: 'FAILED' } });
  });

  test('an earlier request that fails does not end a newer one', async () => {
    await ask();
    const { db, secrets, now } = web.runtime;
    const { id } = await db.whatsAppPermission.findFirstOrThrow();
    const { graph } = metaWith(noPermission);
    const askedAgain: typeof graph = {
      ...graph,
      async requestPermission(...args) {
        const requestedAt = new Date(NOW.getTime() + 1_000);
        await db.whatsAppPermission.update({
          where: { id },
          data: { requestStatus: 'PENDING', requestedAt },
        });
        return graph.requestPermission(...args);
      },
    };
    await sendPermissionRequest({ db, secrets, now, graph: askedAgain }, { permissionId: id, text: 'x' });
    expect(await permissionOf()).toMatchObject({ request: { status: 'PENDING', failure: null } });
    await runJobs(metaWith(noPermission, messageSent).graph);
    expect(await permissionOf()).toMatchObject({ request: { status: 'SENT' } });
  });

  test('a retry with the same Idempotency-Key asks once', async () => {
    const headers = { 'idempotency-key': 'ask-once' };
    const first = await ask({}, headers);
    expect((await ask({}, headers)).text).toBe(first.text);
    expect(await runJobs(metaWith(noPermission, messageSent).graph)).toBe(1);
  });

  test('400 with the field, 404, 409', async () => {
    expectError(await ask({ text: '' }), 400, 'invalid_request', 'text');
    expectError(await ask({ text: 'x'.repeat(1025) }), 400, 'invalid_request', 'text');
    expectError(await ask({ address: undefined }), 400, 'invalid_request', 'address');
    expectError(await ask({ address: 'sip:a@example.com' }), 400, 'invalid_request', 'address');
    expectError(await ask({ channel_ref: 'none' }), 400, 'invalid_request', 'channel_ref');
    expectError(await ask({ channel_ref: 'main' }), 409, 'unsupported_channel');
    expectError(await ask({ channel_ref: 'bare' }), 409, 'unsupported_channel');
    const { db } = web.runtime;
    const status = (to: 'ACTIVE' | 'DISABLED') =>
      db.channel.update({ where: { providerAccountId: '1001' }, data: { status: to } });
    await status('DISABLED');
    expectError(await ask(), 409, 'channel_disabled');
    await status('ACTIVE');
    const unknown = {
      key,
      path: { tenantRef: 'none' },
      body: { channel_ref: 'wa', address: ADDRESS, text: 'x' },
    };
    expectError(await call('requestWhatsAppPermission', unknown), 404, 'not_found');
    expect((await ask({ text: 'x'.repeat(1024) })).status).toBe(202);
  });
});

const erase = (address: string) => call('eraseCustomer', { key, path, body: { address } });
const inboundCall = (id: string, sender: object) =>
  webhook('calls', '1001', {
    calls: [{ id, event: 'connect', direction: 'USER_INITIATED', timestamp: seconds(0), ...sender }],
  });
const whatsAppLine = () =>
  web.runtime.db.channel.findUniqueOrThrow({
    where: { providerAccountId: '1001' },
    include: { tenant: true },
  });
async function storedCall(customerAddress: string, more: Partial<Prisma.CallUncheckedCreateInput>) {
  const { tenant } = await whatsAppLine();
  return web.runtime.db.call.create({
    data: {
      consumerId: tenant.consumerId,
      tenantId: tenant.id,
      direction: 'INBOUND',
      channelRef: 'wa',
      channelType: 'WHATSAPP',
      customerAddress,
      customerAddressType: 'WHATSAPP_USER',
      ...more,
    },
  });
}

describe('erasure', () => {
  test.each([ADDRESS, '0012185552828', USER_ID, 'us.1349'])(
    'by %s removes the customer under every address',
    async (address) => {
      await forward('1001', [reply()]);
      await ask({}, { 'idempotency-key': 'asked-before-erasure' });
      await inboundCall('wacid.number', { from: WA_ID, from_user_id: USER_ID });
      await inboundCall('wacid.hidden', { from_user_id: USER_ID });
      const { db } = web.runtime;
      const channel = await whatsAppLine();
      for (const customerAddress of [ADDRESS, USER_ID]) {
        const ended = await storedCall(customerAddress, {
          status: 'TERMINATED',
          terminationReason: 'CANCELLED',
          endedAt: NOW,
        });
        await db.whatsAppCall.create({
          data: {
            channelId: channel.id,
            callId: ended.id,
            whatsAppCallId: `wacid.${ended.id}`,
            progress: {},
          },
        });
      }
      const found = await call('listCalls', { key, path, query: `customer=${encodeURIComponent(USER_ID)}` });
      expect(found.json.calls).toMatchObject([
        { customer: { address: USER_ID, addressType: 'WHATSAPP_USER' } },
      ]);

      expect((await erase(address)).json).toMatchObject({ callsErased: 2 });
      expect(await whereWordsAre(web, [WA_ID, USER_ID])).toEqual([]);
      expect(await db.whatsAppPermission.count()).toBe(0);
      expect(await db.whatsAppCall.count()).toBe(0);
      expect(await events()).toEqual([]);
      await db.whatsAppEvent.deleteMany();
      await db.call.deleteMany();
      await db.idempotencyKey.deleteMany();
    },
  );

  test('leaves the webhooks of a call in progress, which the call still needs', async () => {
    await inboundCall('wacid.live', { from: WA_ID });
    await inboundCall('wacid.over', { from: WA_ID });
    const { db } = web.runtime;
    const channel = await whatsAppLine();
    const { id: callId, consumerId, tenantId } = await storedCall(ADDRESS, { status: 'IN_PROGRESS' });
    await db.liveCall.create({ data: { callId, consumerId, tenantId, state: {} } });
    await db.whatsAppCall.create({
      data: { channelId: channel.id, callId, whatsAppCallId: 'wacid.live', progress: {} },
    });
    await db.whatsAppCall.create({
      data: { channelId: channel.id, whatsAppCallId: 'wacid.over', progress: {} },
    });
    expect((await erase(ADDRESS)).json).toMatchObject({ activeCallsSkipped: 1 });
    const left = await db.whatsAppEvent.findMany({ orderBy: { id: 'asc' } });
    expect(left.map(({ whatsAppCallId }) => whatsAppCallId)).toEqual(['wacid.live', '']);
    expect(await db.whatsAppCall.findMany()).toMatchObject([{ whatsAppCallId: 'wacid.live' }]);
    await db.liveCall.deleteMany();
    await db.call.deleteMany();
    await db.whatsAppEvent.deleteMany();
  });

  test('leaves other customers and tenants', async () => {
    await forward('1001', [reply({}, { from: '12185550001', from_user_id: 'US.2' }), reply()]);
    await erase(USER_ID);
    expect(await permissionOf('US.2')).toMatchObject({ status: 'TEMPORARY' });
    expect(await events()).toHaveLength(1);
  });
});

test('a permission that nothing was reported about for a year is deleted', async () => {
  await forward('1001', [reply()]);
  const { db } = web.runtime;
  await purgeWhatsApp(db, new Date(NOW.getTime() + 364 * DAY_MS));
  expect(await db.whatsAppPermission.count()).toBe(1);
  await purgeWhatsApp(db, new Date(NOW.getTime() + 366 * DAY_MS));
  expect(await db.whatsAppPermission.count()).toBe(0);
});
