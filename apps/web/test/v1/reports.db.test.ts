import { setShift } from '@clarion/core/agent/set-shift';
import { stepCall } from '@clarion/core/call-engine/step-call';
import type { Prisma } from '@clarion/db';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { inboundCall } from '../inbound-call.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';
import type { TenantFixture } from '../tenant-fixture.ts';

let web: Web;
let fixture: TenantFixture;
let key: string;
let tenantId: number;
let consumerId: number;
const tenantRef = 'shop';
const path = { tenantRef };
const NOW = new Date('2026-03-31T12:00:00.000Z');
const MINUTE = 60_000;
const before = (ms: number) => new Date(NOW.getTime() - ms);

beforeAll(async () => {
  web = await startWeb();
  fixture = await createTenantFixture(web, 'acme');
  key = fixture.key;
  ({ id: tenantId, consumerId } = await web.runtime.db.tenant.findFirstOrThrow({
    where: { ref: tenantRef },
  }));
});
afterAll(() => web.stop());
beforeEach(async () => {
  web.setNow(NOW);
  const { db } = web.runtime;
  await db.call.deleteMany({});
  await db.usageRecord.deleteMany({});
  await db.agentShift.deleteMany({});
  await db.agent.updateMany({ data: { shift: 'OFFLINE' } });
});

const agentId = async (ref: string) => (await web.runtime.db.agent.findFirstOrThrow({ where: { ref } })).id;
const report = async (query = '') => (await call('reportCalls', { key, path, query })).json;
const agents = async (query = '') => (await call('reportAgents', { key, path, query })).json.agents;
const usage = async (query = '') => (await call('listUsage', { key, query })).json;
const addCall = (more: Partial<Prisma.CallUncheckedCreateInput> = {}) =>
  web.runtime.db.call.create({
    data: {
      consumerId,
      tenantId,
      direction: 'INBOUND',
      status: 'TERMINATED',
      channelRef: 'main',
      channelType: 'SIP',
      customerAddressType: 'E164',
      terminationReason: 'COMPLETED',
      terminatedBy: 'CUSTOMER',
      createdAt: before(10 * MINUTE),
      endedAt: before(5 * MINUTE),
      ...more,
    },
  });

test('a report without parameters is the last 30 days by day, empty days included', async () => {
  await addCall({ answeredAt: before(8 * MINUTE) });
  const all = await report();
  expect(all).toMatchObject({
    from: '2026-03-01T12:00:00.000Z',
    to: NOW.toISOString(),
    interval: 'DAY',
    timezone: 'UTC',
    serviceLevel: { thresholdSeconds: 20, answeredWithin: 0, offered: 0, ratio: null },
  });
  expect(all.buckets).toHaveLength(31);
  expect(all.buckets.map(({ total }) => total).filter(Boolean)).toEqual([1]);
  expect(all.totals).toMatchObject({
    total: 1,
    answered: 1,
    talkSeconds: 180,
    avgTalkSeconds: 180,
    avgWaitSeconds: null,
  });
});

test('the service level comes with all of its counters', async () => {
  const queuedAt = before(10 * MINUTE);
  const after = (seconds: number) => new Date(queuedAt.getTime() + seconds * 1000);
  const gone = { terminationReason: 'CANCELLED', queuedAt } as const;
  await addCall({ queuedAt, answeredAt: after(20) });
  await addCall({ queuedAt, answeredAt: after(20.001) });
  await addCall({ ...gone, endedAt: after(4.999) });
  await addCall({ ...gone, endedAt: after(20) });
  await addCall({ ...gone, endedAt: after(21) });
  await addCall({ ...gone, endedAt: after(30), terminatedBy: 'CONSUMER' });
  await addCall({
    queuedAt,
    terminationReason: 'TIMEOUT',
    terminatedBy: 'SYSTEM',
    overflowed: true,
    endedAt: after(300),
  });
  const { totals, serviceLevel } = await report();
  expect(totals).toMatchObject({
    total: 7,
    answered: 2,
    missed: 1,
    lost: 4,
    offered: 7,
    answeredFromQueue: 2,
    answeredWithin: 1,
    abandoned: 3,
    abandonedAfterThreshold: 1,
    shortAbandoned: 1,
    overflowed: 1,
    timedOut: 1,
    longestWaitSeconds: 300,
    serviceLevel: 0.3333,
  });
  expect(serviceLevel).toEqual({ thresholdSeconds: 20, answeredWithin: 1, offered: 7, ratio: 0.3333 });
  expect((await report('service_level_seconds=21')).serviceLevel).toMatchObject({
    answeredWithin: 2,
    ratio: 1,
  });
});

test('days are those of the time zone, and the window truncates the first and the last', async () => {
  for (const at of ['2026-03-28T23:30Z', '2026-03-29T22:59Z', '2026-03-29T23:00Z']) {
    await addCall({ createdAt: new Date(at), endedAt: new Date(at) });
  }
  const { buckets } = await report(
    'from=2026-03-28T23:00:00Z&to=2026-03-29T23:00:00Z&timezone=Europe/London',
  );
  expect(buckets.map(({ start, end, total }) => [start, end, total])).toEqual([
    ['2026-03-28T00:00:00.000Z', '2026-03-29T00:00:00.000Z', 1],
    ['2026-03-29T00:00:00.000Z', '2026-03-29T23:00:00.000Z', 1],
  ]);
});

test('an invalid parameter of a report is named', async () => {
  for (const [query, field] of [
    ['from=yesterday', 'from'],
    ['to=never', 'to'],
    ['from=2026-02-01&to=2026-02-01', 'to'],
    ['from=2026-04-01', 'from'],
    ['from=2025-01-01&to=2026-02-06', 'from'],
    ['to=9999-12-31T23:59:59-01:00', 'to'],
    ['to=9998-12-31T00:00:01Z', 'to'],
    ['from=0001-12-31&to=0002-01-02', 'from'],
    ['to=0001-06-01', 'to'],
    ['interval=year', 'interval'],
    ['interval=hour&from=2026-01-01&to=2026-02-12', 'interval'],
    ['timezone=Mars', 'timezone'],
    ['timezone=%2B01:00', 'timezone'],
    ['queue_ref=none', 'queue_ref'],
    ['channel_ref=none', 'channel_ref'],
    ['service_level_seconds=-1', 'service_level_seconds'],
    ['service_level_seconds=3601', 'service_level_seconds'],
    ['service_level_seconds=soon', 'service_level_seconds'],
  ] as const) {
    expectError(await call('reportCalls', { key, path, query }), 400, 'invalid_request', field);
  }
  for (const query of [
    'from=2025-01-01&to=2026-02-05&interval=Week',
    'interval=HOUR&from=2026-01-01&to=2026-02-11T16:00:00Z',
    'service_level_seconds=0&timezone=Asia/Kathmandu&queue_ref=support&channel_ref=main',
    'to=0002-01-02&interval=month&timezone=America/New_York',
    'from=9998-12-01&to=9998-12-31&interval=week&timezone=Pacific/Auckland',
  ]) {
    expect((await call('reportCalls', { key, path, query })).status, query).toBe(200);
  }
  for (const name of ['reportCalls', 'reportAgents', 'reportLive'] as const) {
    expectError(await call(name, { key, path: { tenantRef: 'none' } }), 404, 'not_found');
  }
  expectError(
    await call('reportAgents', { key, path, query: 'from=2026-02-02&to=2026-02-01' }),
    400,
    'invalid_request',
    'to',
  );
});

test('agents: answered calls and talk time, missed and declined offers, and missed calls of their personal line', async () => {
  const { db } = web.runtime;
  const [ada, ben] = [await agentId('ada'), await agentId('ben')];
  await addCall({ agentId: ada, answeredAt: before(8 * MINUTE) });
  await addCall({ agentId: ada, answeredAt: before(7 * MINUTE), direction: 'OUTBOUND' });
  await addCall({ agentId: ada, terminationReason: 'NO_ANSWER', terminatedBy: 'SYSTEM' });
  await addCall({ agentId: ada, terminationReason: 'NO_ANSWER', direction: 'OUTBOUND' });
  const { id } = await addCall({
    agentId: ben,
    answeredAt: before(6 * MINUTE),
    ringingAt: before(9 * MINUTE),
  });
  const log = (type: string, of: number) => ({
    callId: id,
    type,
    agentId: of,
    occurredAt: before(9 * MINUTE),
  });
  await db.callLifecycle.createMany({
    data: [
      log('OFFERED', ada),
      log('MISSED', ada),
      log('DECLINED', ada),
      log('CONNECT_FAILED', ben),
      log('ACCEPTED', ben),
    ],
  });
  await addCall({ agentId: ben, answeredAt: before(8 * MINUTE), createdAt: before(41 * 24 * 60 * MINUTE) });
  const none = {
    answered: 0,
    missed: 0,
    declined: 0,
    talkSeconds: 0,
    avgTalkSeconds: 0,
    availableSeconds: 0,
  };
  expect(await agents()).toEqual([
    {
      ...none,
      agentId: ada,
      agentRef: 'ada',
      name: 'ada',
      answered: 2,
      missed: 2,
      declined: 1,
      talkSeconds: 300,
      avgTalkSeconds: 150,
    },
    {
      ...none,
      agentId: ben,
      agentRef: 'ben',
      name: 'ben',
      answered: 1,
      missed: 1,
      talkSeconds: 60,
      avgTalkSeconds: 60,
    },
  ]);
});

test('agents: a transferred call counts for each agent who talked, and their talk times add up to the call', async () => {
  const { db } = web.runtime;
  const [ada, ben] = [await agentId('ada'), await agentId('ben')];
  // 240.5 s of talk: 60.75 s with ada, 59.5 s with ben, the rest with ada again.
  const answeredAt = new Date(NOW.getTime() - 600_000);
  const after = (ms: number) => new Date(answeredAt.getTime() + ms);
  const { id } = await addCall({ agentId: ada, answeredAt, endedAt: after(240_500) });
  const move = (fromAgentId: number, toAgentId: number, acceptedAt: Date | null) => ({
    callId: id,
    fromAgentId,
    toAgentId,
    initiatedByType: 'AGENT',
    transferredAt: answeredAt,
    acceptedAt,
  });
  await db.callTransfer.createMany({
    data: [move(ada, ben, null), move(ada, ben, after(60_750)), move(ben, ada, after(120_250))],
  });
  await addCall({ agentId: ben, answeredAt: before(8 * MINUTE), endedAt: before(7 * MINUTE) });
  const figures = (await agents()).map(({ agentRef, answered, talkSeconds }) => ({
    agentRef,
    answered,
    talkSeconds,
  }));
  expect(figures).toEqual([
    { agentRef: 'ada', answered: 1, talkSeconds: 60 + 120 },
    { agentRef: 'ben', answered: 2, talkSeconds: 60 + 60 },
  ]);
  expect((await report()).totals.talkSeconds).toBe(60 + 120 + 60 + 60);
});

test('available time is counted within the window, without overlaps, and ends when the agent is deleted', async () => {
  const { db } = web.runtime;
  const ada = await agentId('ada');
  await setShift(db, ada, 'AVAILABLE', before(60 * MINUTE));
  await setShift(db, ada, 'AVAILABLE', before(59 * MINUTE));
  await setShift(db, ada, 'OFFLINE', before(50 * MINUTE));
  await setShift(db, ada, 'OFFLINE', before(49 * MINUTE));
  await setShift(db, ada, 'AVAILABLE', before(20 * MINUTE));
  const available = async (query = '') =>
    (await agents(query)).find(({ agentRef }) => agentRef === 'ada')?.availableSeconds;
  const from = (minutes: number) => `from=${before(minutes * MINUTE).toISOString()}`;
  expect(await available()).toBe(30 * 60);
  expect(await available(`${from(55)}&to=${before(15 * MINUTE).toISOString()}`)).toBe(10 * 60);
  expect(await available(`${from(45)}&to=${before(25 * MINUTE).toISOString()}`)).toBe(0);
  expect(await available(`${from(5)}&to=2026-04-02`)).toBe(5 * 60);
  // With any number of concurrent changes from any number of processes.
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => setShift(db, ada, i % 2 === 0 ? 'OFFLINE' : 'AVAILABLE', NOW)),
  );
  const { shift } = await db.agent.findUniqueOrThrow({ where: { id: ada } });
  expect(await db.agentShift.count({ where: { agentId: ada, endedAt: null } })).toBe(
    shift === 'AVAILABLE' ? 1 : 0,
  );
  await call('putAgent', { key, path: { tenantRef, agentRef: 'brief' }, body: { name: 'Brief' } });
  const brief = await agentId('brief');
  await setShift(db, brief, 'AVAILABLE', before(10 * MINUTE));
  await call('deleteAgent', { key, path: { tenantRef, agentRef: 'brief' } });
  web.setNow(new Date(NOW.getTime() + 60 * MINUTE));
  const gone = (await agents()).find(({ agentRef }) => agentRef === 'brief');
  expect(gone).toMatchObject({ availableSeconds: 600, answered: 0 });
  // With nothing in the window a deleted agent is not listed.
  expect((await agents('from=2026-03-01&to=2026-03-02')).map(({ agentRef }) => agentRef)).toEqual([
    'ada',
    'ben',
  ]);
});

const inbound = (at: Date, overflow?: { id: number; ref: string }[]) =>
  inboundCall(web, fixture, at, overflow);

test("live: waiting callers, their wait, and the state of each queue's members", async () => {
  const { db } = web.runtime;
  const [ada, ben] = [await agentId('ada'), await agentId('ben')];
  const live = async () => (await call('reportLive', { key, path })).json;
  const quiet = {
    queueId: expect.any(Number),
    ref: 'support',
    name: 'Support',
    waiting: 0,
    longestWaitSeconds: null,
  };
  expect(await live()).toEqual({
    queues: [{ ...quiet, agents: { available: 0, onCall: 0, offline: 2 } }],
    liveCalls: 0,
  });
  await inbound(before(12_345));
  const callId = await inbound(before(3_000));
  await db.agent.update({ where: { id: ada }, data: { shift: 'AVAILABLE' } });
  await db.agentConnection.create({ data: { socketId: 's', agentId: ada, deviceId: 'd', nodeId: 'n1' } });
  await db.agent.update({
    where: { id: ben },
    data: { shift: 'AVAILABLE', currentCallId: callId, onCall: true },
  });
  expect(await live()).toEqual({
    queues: [
      { ...quiet, waiting: 2, longestWaitSeconds: 12, agents: { available: 1, onCall: 1, offline: 0 } },
    ],
    liveCalls: 2,
  });
  await db.agentConnection.deleteMany({});
  await db.agent.update({ where: { id: ben }, data: { currentCallId: null, onCall: false } });
  expect((await live()).queues[0]?.agents).toEqual({ available: 0, onCall: 0, offline: 2 });
});

test('a call that overflows and is abandoned is counted as such, with one usage record', async () => {
  const { db } = web.runtime;
  const second = (
    await call('putQueue', { key, path: { tenantRef, queueRef: 'second' }, body: { name: 'Second' } })
  ).json.queue;
  const callId = await inbound(before(60_000), [second]);
  await stepCall(db, callId, { type: 'tick' }, before(30_000));
  expect((await report()).totals).toMatchObject({ offered: 1, overflowed: 1, timedOut: 0, live: 1 });
  await Promise.all(Array.from({ length: 4 }, () => stepCall(db, callId, { type: 'tick' }, NOW)));
  expect((await report()).totals).toMatchObject({
    offered: 1,
    overflowed: 1,
    timedOut: 1,
    missed: 1,
    live: 0,
  });
  expect((await report('queue_ref=second')).totals.total).toBe(1);
  expect((await report('queue_ref=support')).totals.total).toBe(0);
  // The window's end is exclusive: the call ended now.
  web.setNow(new Date(NOW.getTime() + 1));
  expect((await usage()).usage).toEqual([
    {
      id: expect.any(Number),
      callId,
      tenantRef,
      kind: 'CALL',
      direction: 'INBOUND',
      channelType: 'SIP',
      trunkOwner: 'PLATFORM',
      seconds: 0,
      connectedSeconds: 0,
      billedSeconds: 0,
      day: null,
      quantity: null,
      carrierCost: {
        amount: null,
        currency: null,
        status: 'NO_RATE',
        reason: 'The call was not answered.',
        entryId: null,
      },
      tenantCharges: [],
      platformCost: null,
      createdAt: NOW.toISOString(),
    },
  ]);
});
