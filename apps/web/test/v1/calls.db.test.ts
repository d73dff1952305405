import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';
import type { TenantFixture } from '../tenant-fixture.ts';

let web: Web;
let fixture: TenantFixture;
let key: string;
const tenantRef = 'shop';
const path = { tenantRef };
beforeAll(async () => {
  web = await startWeb();
  fixture = await createTenantFixture(web, 'acme');
  key = fixture.key;
  await fixture.putLine('adas', '+442071838751', { owner_agent_ref: 'ada' });
});
afterAll(() => web.stop());
beforeEach(async () => {
  await plan({
    planCallsAtOnce: 100,
    planOutboundPerMinute: 600,
    planCountries: [],
    planBlockedPrefixes: [],
  });
  await web.runtime.db.call.deleteMany({});
});

const plan = (data: Record<string, number | string[]>) => web.changeConsumer('acme', data);
const intent = (more: Record<string, unknown> = {}) => ({
  channel_ref: 'main',
  agent_ref: 'ada',
  customer: { address: '+442079460123' },
  ...more,
});
const create = (body: unknown, headers?: Record<string, string>) =>
  call('createCall', { key, path, body, ...(headers && { headers }) });
const list = async (query = '') => (await call('listCalls', { key, path, query })).json;

test('an outbound intent is returned in full, is live, and is in the webhook and the log', async () => {
  const answer = await create(
    intent({
      customer: { address: '0044 20 7946 0123', name: ' Grace ' },
      external_ref: 'order-1',
      consumer_metadata: { order: 1, nested: { list: [null, true, ''] } },
    }),
  );
  const { call: made } = answer.json;
  expect(made).toMatchObject({
    status: 'INITIATED',
    direction: 'OUTBOUND',
    tenantRef,
    channelRef: 'main',
    agentRef: 'ada',
    customer: { address: '+442079460123', addressType: 'E164', addressWithheld: false, name: 'Grace' },
    externalRef: 'order-1',
    consumerMetadata: { order: 1, nested: { list: [null, true, ''] } },
    terminationReason: null,
    mediaPath: 'ROOM',
  });
  const { db } = web.runtime;
  expect(await db.liveCall.count({ where: { callId: made.callId } })).toBe(1);
  expect(await db.event.findMany({ where: { callId: made.callId }, select: { type: true } })).toEqual([
    { type: 'call.created' },
  ]);
  const detail = (await call('getCall', { key, path: { callId: made.callId } })).json;
  expect(detail.call).toMatchObject({ callId: made.callId, externalRef: 'order-1' });
  expect(detail).toMatchObject({ transfers: [], ivrSessions: [], recording: null });
  expect(detail.events.length).toBeGreaterThan(0);
});

test('only the owner can call from a personal line, on the direct path', async () => {
  expectError(await create(intent({ channel_ref: 'adas', agent_ref: 'ben' })), 403, 'line_not_owned');
  expect((await create(intent({ channel_ref: 'adas' }))).json.call.mediaPath).toBe('DIRECT');
});

test('refs: an unknown line is 400, an unknown agent 404, those of another tenant 409', async () => {
  const other = { tenantRef: 'other' };
  await call('putTenant', { key, path: other, body: { name: 'O' } });
  await call('putAgent', { key, path: { ...other, agentRef: 'olga' }, body: { name: 'Olga' } });
  await call('putChannel', {
    key,
    path: { ...other, channelRef: 'oline' },
    body: { type: 'SIP', address: '+442071838800', sip_trunk_id: fixture.trunkId },
  });
  expectError(await create(intent({ channel_ref: 'nowhere' })), 400, 'invalid_request', 'channel_ref');
  expectError(await create(intent({ agent_ref: 'nobody' })), 404, 'not_found');
  expectError(await create(intent({ channel_ref: 'oline' })), 409, 'invalid_channel', 'channel_ref');
  expectError(await create(intent({ agent_ref: 'olga' })), 409, 'invalid_agent', 'agent_ref');
  expectError(
    await call('createCall', { key, path: { tenantRef: 'none' }, body: intent() }),
    404,
    'not_found',
  );
});

test('a wrong field is named with its path', async () => {
  const customer = { address: '+442079460123' };
  for (const [body, field] of [
    [{ agent_ref: 'ada', customer }, 'channel_ref'],
    [{ channel_ref: 'main', customer }, 'agent_ref'],
    [{ channel_ref: 'main', agent_ref: 'ada' }, 'customer'],
    [intent({ customer: {} }), 'customer.address'],
    [intent({ customer: { address: '4'.repeat(192) } }), 'customer.address'],
    [intent({ customer: { ...customer, address_type: 'PIGEON' } }), 'customer.address_type'],
    [intent({ customer: { ...customer, name: 'x'.repeat(256) } }), 'customer.name'],
    [intent({ external_ref: 'x'.repeat(192) }), 'external_ref'],
    [intent({ consumer_metadata: 'text' }), 'consumer_metadata'],
    [intent({ consumer_metadata: [1] }), 'consumer_metadata'],
    [intent({ consumer_metadata: { bad: 'a\0b' } }), 'consumer_metadata'],
    [intent({ consumer_metadata: metadataOf(64 * 1024 + 1) }), 'consumer_metadata'],
  ] as const) {
    expectError(await create(body), 400, 'invalid_request', field);
  }
  const edge = intent({
    customer: { ...customer, name: 'x'.repeat(255) },
    external_ref: 'x'.repeat(191),
    consumer_metadata: metadataOf(64 * 1024),
  });
  expect((await create(edge)).status).toBe(201);
});

test('a disabled line and an unreachable customer are rejected', async () => {
  await fixture.putLine('off', '+442071838810', { status: 'DISABLED' });
  expectError(await create(intent({ channel_ref: 'off' })), 409, 'channel_disabled');
  for (const address of ['not a number', '+44', '12345']) {
    expectError(await create(intent({ customer: { address } })), 409, 'invalid_customer', 'customer.address');
  }
  for (const address of ['112', '911', '+44999', 'sip:999@carrier.example']) {
    expectError(await create(intent({ customer: { address } })), 403, 'emergency_not_supported');
  }
  expectError(await create(intent({ customer: { address: '+881612345678' } })), 403, 'destination_blocked');
  await plan({ planCountries: ['US'], planBlockedPrefixes: ['121'] });
  expectError(await create(intent()), 403, 'destination_not_allowed');
  expectError(await create(intent({ customer: { address: '+12125550123' } })), 403, 'destination_blocked');
  await plan({ planBlockedPrefixes: [] });
  expect((await create(intent({ customer: { address: '+12125550123' } }))).status).toBe(201);
});

test('a SIP URI does not bypass the rules for countries, satellites, premium or emergency numbers', async () => {
  await plan({ planCountries: ['US'] });
  for (const [user, status, code] of [
    ['+33123456789', 403, 'destination_not_allowed'],
    ['%2B3312345678%2539', 403, 'destination_not_allowed'],
    ['+881612345678', 403, 'destination_blocked'],
    ['+19005551234', 403, 'destination_blocked'],
    ['999*', 403, 'emergency_not_supported'],
    ['01133123456789', 409, 'invalid_customer'],
    ['+331234567890000', 409, 'invalid_customer'],
    ['09001234567', 409, 'invalid_customer'],
    ['12345;phone-context=+33', 409, 'invalid_customer'],
  ] as const) {
    const body = intent({ customer: { address: `sip:${user}@carrier.example` } });
    expectError(
      await create(body),
      status,
      code,
      code === 'invalid_customer' ? 'customer.address' : undefined,
    );
  }
  const allowed = intent({ customer: { address: 'sip:+12125550123@carrier.example' } });
  expect((await create(allowed)).status).toBe(201);
});

test('a suspended tenant places no calls, as its agents cannot connect', async () => {
  await call('putTenant', { key, path, body: { name: 'Shop', status: 'SUSPENDED' } });
  expectError(await create(intent()), 402, 'tenant_suspended');
  await call('putTenant', { key, path, body: { name: 'Shop' } });
  expect((await create(intent())).status).toBe(201);
});

test('a SIP URI is a customer of a phone line', async () => {
  const { customer } = (await create(intent({ customer: { address: 'sip:grace@pbx.example.com' } }))).json
    .call;
  expect(customer).toMatchObject({ address: 'sip:grace@pbx.example.com', addressType: 'SIP_URI' });
});

test('an agent with a ringing or active call is busy; an intent that was not started does not make them busy', async () => {
  await create(intent());
  expect((await create(intent())).status).toBe(201);
  const { db } = web.runtime;
  await db.agent.updateMany({ where: { ref: 'ada' }, data: { currentCallId: 1 } });
  try {
    expectError(await create(intent()), 409, 'agent_busy');
  } finally {
    await db.agent.updateMany({ where: { ref: 'ada' }, data: { currentCallId: null } });
  }
});

test('the limit of concurrent calls is exact with fifty concurrent requests', async () => {
  await plan({ planCallsAtOnce: 7 });
  const answers = await Promise.all(Array.from({ length: 50 }, () => create(intent())));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(7);
  for (const answer of answers.filter(({ status }) => status !== 201))
    expectError(answer, 409, 'too_many_calls');
  expect(await web.runtime.db.liveCall.count()).toBe(7);
});

test("outbound calls beyond the plan's limit per minute are 429 until the oldest is a minute old", async () => {
  await plan({ planOutboundPerMinute: 3 });
  const start = new Date('2026-04-01T10:00:00.000Z');
  try {
    for (const seconds of [0, 10, 20]) {
      web.setNow(new Date(start.getTime() + seconds * 1000));
      expect((await create(intent())).status).toBe(201);
    }
    web.setNow(new Date(start.getTime() + 45_000));
    const refused = await create(intent());
    expectError(refused, 429, 'rate_limited');
    expect(refused.headers.get('retry-after')).toBe('15');
    web.setNow(new Date(start.getTime() + 60_000));
    expect((await create(intent())).status).toBe(201);
  } finally {
    web.setNow(null);
  }
});

test('terminate ends an intent as CANCELLED by CONSUMER, once', async () => {
  const { callId } = (await create(intent())).json.call;
  const terminate = () => call('terminateCall', { key, path: { callId } });
  expect((await terminate()).json).toEqual({ accepted: true });
  expect((await call('getCall', { key, path: { callId } })).json.call).toMatchObject({
    status: 'TERMINATED',
    terminationReason: 'CANCELLED',
    terminatedBy: 'CONSUMER',
  });
  expectError(await terminate(), 409, 'call_ended');
  for (const unknown of [999_999, 'abc', '99999999999']) {
    expectError(await call('terminateCall', { key, path: { callId: unknown } }), 404, 'not_found');
    expectError(await call('getCall', { key, path: { callId: unknown } }), 404, 'not_found');
  }
});

test('of ten concurrent terminate requests one is accepted, and for the others the call has ended', async () => {
  const { callId } = (await create(intent())).json.call;
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => call('terminateCall', { key, path: { callId } })),
  );
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
  for (const answer of answers.filter(({ status }) => status !== 202)) expectError(answer, 409, 'call_ended');
  expect(await web.runtime.db.event.count({ where: { callId, type: 'call.ended' } })).toBe(1);
});

test('calls are listed newest first, by number or by cursor', async () => {
  const ids: number[] = [];
  for (let n = 0; n < 5; n += 1) ids.unshift((await create(intent())).json.call.callId);
  const idsOf = ({ calls }: Awaited<ReturnType<typeof list>>) => calls.map(({ callId }) => callId);
  const first = await list();
  expect(idsOf(first)).toEqual(ids);
  expect(first).not.toHaveProperty('total');
  expect(first).not.toHaveProperty('stats');
  expect(first.nextBeforeId).toBe(ids[4]);
  const page = await list('page=2&limit=2');
  expect(idsOf(page)).toEqual(ids.slice(2, 4));
  expect(page).toMatchObject({ page: 2, pageSize: 2, total: 5 });
  const cursor = await list(`before_id=${ids[1]}&limit=2`);
  expect(idsOf(cursor)).toEqual(ids.slice(2, 4));
  expect(cursor.nextBeforeId).toBe(ids[3]);
  expect(await list(`before_id=${ids[4]}`)).toEqual({ calls: [], nextBeforeId: null });
  expect(idsOf(await list('page=9'))).toEqual([]);
});

test('every filter of the list selects the matching calls', async () => {
  web.setNow(new Date('2026-05-01T10:00:00.000Z'));
  const plain = (await create(intent({ external_ref: 'A' }))).json.call.callId;
  web.setNow(new Date('2026-05-01T11:00:00.000Z'));
  const personal = (await create(intent({ channel_ref: 'adas', customer: { address: '+442079460999' } })))
    .json.call.callId;
  const uri = (await create(intent({ agent_ref: 'ben', customer: { address: 'sip:g@pbx.example.com' } })))
    .json.call.callId;
  await call('terminateCall', { key, path: { callId: plain } });
  web.setNow(null);
  const { id: queueId } = (await call('getQueue', { key, path: { tenantRef, queueRef: 'support' } })).json
    .queue;
  await web.runtime.db.call.update({
    where: { id: uri },
    data: { queueId, queueRef: 'support', direction: 'INBOUND' },
  });
  const plus = (await create(intent({ customer: { address: 'sip:+442079460888@pbx.example.com' } }))).json
    .call.callId;
  const idsOf = async (query: string) => (await list(query)).calls.map(({ callId }) => callId);
  for (const sign of ['%2B', '+']) {
    expect(await idsOf(`customer=sip:${sign}442079460888@pbx.example.com`)).toEqual([plus]);
  }
  await web.runtime.db.call.delete({ where: { id: plus } });
  expect(await idsOf('status=terminated')).toEqual([plain]);
  expect(await idsOf('live=true')).toEqual([uri, personal]);
  expect(await idsOf('live=false')).toHaveLength(3);
  expect(await idsOf('direction=inbound')).toEqual([uri]);
  expect(await idsOf('agent_ref=ben')).toEqual([uri]);
  expect(await idsOf('external_ref=A')).toEqual([plain]);
  expect(await idsOf('channel_ref=adas')).toEqual([personal]);
  expect(await idsOf('queue_ref=support')).toEqual([uri]);
  for (const customer of ['%2B442079460999', '442079460999', '00442079460999', '+442079460999']) {
    expect(await idsOf(`customer=${customer}`)).toEqual([personal]);
  }
  expect(await idsOf('customer=sip:g@pbx.example.com')).toEqual([uri]);
  // from is inclusive, to is exclusive
  expect(await idsOf('from=2026-05-01T11:00:00.000Z')).toEqual([uri, personal]);
  expect(await idsOf('to=2026-05-01T11:00:00.000Z')).toEqual([plain]);
  expect(await idsOf('from=2026-05-01T12:00:00%2B01:00&to=2026-05-01T12:00:01 01:00')).toEqual([
    uri,
    personal,
  ]);
  expect(await idsOf('agent_ref=ada&status=INITIATED&direction=OUTBOUND')).toEqual([personal]);
});

test('a wrong list query is named; unknown agents are 404, unknown lines and queues 400', async () => {
  const get = (query: string) => call('listCalls', { key, path, query });
  for (const [query, field] of [
    ['status=ENDED', 'status'],
    ['direction=SIDEWAYS', 'direction'],
    ['live=perhaps', 'live'],
    ['stats=1', 'stats'],
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['page=0', 'page'],
    ['page=1.5', 'page'],
    ['before_id=x', 'before_id'],
    ['page=1&before_id=5', 'before_id'],
    ['from=yesterday', 'from'],
    ['to=2026-02-30', 'to'],
    ['from=0000-01-01', 'from'],
    ['to=0001-01-01T00:00:00%2B14:00', 'to'],
    ['channel_ref=nowhere', 'channel_ref'],
    ['queue_ref=nowhere', 'queue_ref'],
  ] as const) {
    expectError(await get(query), 400, 'invalid_request', field);
  }
  expectError(await get('agent_ref=nobody'), 404, 'not_found');
  expect((await get('limit=200')).status).toBe(200);
});

test('stats count each call once, and durations in whole seconds', async () => {
  const { db } = web.runtime;
  const tenant = await db.tenant.findFirstOrThrow({ where: { ref: tenantRef } });
  const at = (seconds: number) => new Date(Date.parse('2026-06-01T10:00:00.000Z') + seconds * 1000);
  const base = {
    consumerId: tenant.consumerId,
    tenantId: tenant.id,
    channelRef: 'main',
    channelType: 'SIP',
    customerAddressType: 'E164',
    createdAt: at(0),
  } as const;
  const ended = (reason: string, more: object = {}) => ({
    ...base,
    direction: 'INBOUND' as const,
    status: 'TERMINATED' as const,
    terminationReason: reason,
    endedAt: at(100),
    ...more,
  });
  await db.call.createMany({
    data: [
      ended('COMPLETED', { answeredAt: at(40), queuedAt: at(10), endedAt: at(100.9) }),
      ended('SYSTEM_ERROR', { answeredAt: at(50), status: 'FAILED' }),
      ...['NO_ANSWER', 'IVR_AGENT_NO_ANSWER', 'REJECTED', 'BUSY'].map((reason) => ended(reason)),
      ended('TIMEOUT', { queuedAt: at(0) }),
      ended('CANCELLED'),
      ended('PROVIDER_ERROR', { status: 'FAILED', direction: 'OUTBOUND' }),
      ended('AGENT_DISCONNECTED'),
      { ...base, direction: 'OUTBOUND', status: 'INITIATED' },
    ],
  });
  expect((await list('stats=true&limit=1')).stats).toEqual({
    total: 11,
    answered: 2,
    missed: 5,
    lost: 1,
    failed: 2,
    live: 1,
    inbound: 9,
    outbound: 2,
    talkSeconds: 110,
    avgTalkSeconds: 55,
    avgWaitSeconds: 65,
    longestWaitSeconds: 100,
  });
  expect((await list('stats=true&status=FAILED')).stats).toMatchObject({ total: 2, answered: 1, failed: 1 });
  // More seconds than fit into an int4.
  const [from, to] = [new Date('1900-01-01'), new Date('2000-01-01')];
  await db.call.create({
    data: ended('COMPLETED', { createdAt: from, queuedAt: from, answeredAt: from, endedAt: to }),
  });
  expect((await list('stats=true')).stats?.talkSeconds).toBe(110 + (to.getTime() - from.getTime()) / 1000);
  await db.call.deleteMany({});
  expect((await list('stats=true')).stats).toEqual({
    total: 0,
    answered: 0,
    missed: 0,
    lost: 0,
    failed: 0,
    live: 0,
    inbound: 0,
    outbound: 0,
    talkSeconds: 0,
    avgTalkSeconds: 0,
    avgWaitSeconds: null,
    longestWaitSeconds: null,
  });
});

/** An object with this size as JSON. */
function metadataOf(bytes: number): { text: string } {
  return { text: 'x'.repeat(bytes - JSON.stringify({ text: '' }).length) };
}
