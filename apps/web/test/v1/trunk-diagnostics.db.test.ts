/** Diagnostics and tests of trunks over the API. A realtime node's part of a test is done by the verbs that it uses. */
import { checkupLines } from '@clarion/core/trunk-monitor/checkup';
import { claimTest, finishTest } from '@clarion/core/trunk/test-trunk';
import { storeLastInvites, storePing, storeRegistration } from '@clarion/core/trunk/trunk-state';
import { listen, type Listener } from '@clarion/db';
import { checkupFactsOf } from '@clarion/testkit/peers/fake-media';
import type { TrunkTarget } from '@clarion/protocol/media';
import type { TrunkTestResult } from '@clarion/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchedSession, staffSession } from '../dashboard.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);
const DAY_MS = 86_400_000;

let web: Web;
let key: string;
let rival: string;
let trunkId: number;
let realtime: Listener | null = null;
beforeAll(async () => {
  web = await startWeb();
  web.runtime.settings.resolve = async () => ['198.41.0.4'];
  key = (await createTenantFixture(web, 'acme')).key;
  rival = (await createTenantFixture(web, 'rival')).key;
  web.setNow(NOW);
});
beforeEach(async () => {
  const { db } = web.runtime;
  await db.sipTrunk.deleteMany({ where: { name: 'carrier' } });
  const { id: consumerId } = await db.consumer.findUniqueOrThrow({ where: { slug: 'acme' } });
  const trunk = await db.sipTrunk.create({
    data: {
      consumerId,
      name: 'carrier',
      ingressLabel: 'acme-carrier',
      host: 'sip.carrier.example',
      status: 'ACTIVE',
      register: true,
      inboundSourceCidrs: ['198.41.0.4'],
    },
  });
  trunkId = trunk.id;
});
afterAll(async () => {
  await realtime?.stop();
  await web.stop();
});

const diagnostics = (as = { key }, id = trunkId) =>
  call('getTrunkDiagnostics', { ...as, path: { trunkId: id } });
const runTest = (as: object = { key }, id = trunkId) => call('testTrunk', { ...as, path: { trunkId: id } });

test('a trunk of which nothing was observed has empty diagnostics', async () => {
  expect((await diagnostics()).json.diagnostics).toEqual({
    target: 'sip:sip.carrier.example:5060;transport=udp',
    ping: null,
    upChangedAt: null,
    registration: null,
    lastInvite: null,
    refusals: [],
    pingSeconds: 60,
  });
});

test('diagnostics show what was observed, and say what to do about it', async () => {
  const { db } = web.runtime;
  const ping = {
    up: false,
    status: 503,
    reason: 'Overloaded',
    rttMs: 12,
    error: null,
    at: ago(60_000).toISOString(),
    target: 'sip:sip.carrier.example:5060;transport=udp',
  };
  await storePing(db, trunkId, { ...ping, at: ago(600_000).toISOString() });
  await storePing(db, trunkId, ping);
  const registration = {
    state: 'FAILED',
    status: 403,
    error: 'The carrier rejected the registration.',
    code: 'registration_rejected',
    at: ago(1_000).toISOString(),
    expiresAt: null,
    target: null,
  } as const;
  await storeRegistration(db, trunkId, registration, null);
  await storeLastInvites(db, [{ trunkId, at: ago(2_000), source: '198.41.0.4', number: '442071838750' }]);
  // An older one, from a node that was late.
  await storeLastInvites(db, [{ trunkId, at: ago(9_000), source: '198.41.0.5', number: '1' }]);
  const refusal = { trunkId, status: 404, source: '198.41.0.4', number: '442071838751' };
  await db.sipRefusal.createMany({
    data: [
      ...Array.from({ length: 55 }, (_, index) => ({
        ...refusal,
        at: ago(index * 1_000),
        code: 'number_without_line',
        reason: `No line has the number ${index}.`,
      })),
      { ...refusal, at: ago(8 * DAY_MS), reason: 'Too old.' },
    ],
  });
  const { json } = await diagnostics();
  expect(json.diagnostics).toMatchObject({
    ping,
    upChangedAt: ago(600_000).toISOString(),
    registration: { ...registration, field: 'username', docs: '/docs/failures#registration-rejected' },
    lastInvite: { at: ago(2_000).toISOString(), source: '198.41.0.4', number: '442071838750' },
  });
  expect(json.diagnostics.refusals).toHaveLength(50);
  expect(json.diagnostics.refusals[0]).toMatchObject({
    at: NOW.toISOString(),
    status: 404,
    source: '198.41.0.4',
    number: '442071838751',
    reason: 'No line has the number 0.',
    code: 'number_without_line',
    field: 'address',
    docs: '/docs/failures#number-without-line',
  });
});

test('the trunk itself shows its registration and the latest ping once there are any', async () => {
  const target = 'sip:198.41.0.4:5060;transport=udp';
  const registration = {
    state: 'REGISTERED',
    status: 200,
    error: null,
    code: null,
    at: '2026-01-05T09:00:00.000Z',
    expiresAt: '2026-01-05T10:00:00.000Z',
    target,
  };
  const ping = {
    up: true,
    status: 200,
    reason: 'OK',
    rttMs: 18,
    error: null,
    at: '2026-01-05T09:00:00.000Z',
    target,
  };
  await web.runtime.db.sipTrunkState.create({ data: { trunkId, registration, ping } });
  expect((await call('getTrunk', { key, path: { trunkId } })).json.trunk).toMatchObject({
    registration,
    up: true,
  });
  // A trunk that no longer registers shows none.
  const body = { host: 'sip.carrier.example', inbound_source_cidrs: '198.41.0.4' };
  const put = await call('putTrunk', { key, path: { trunkId }, body });
  expect(put.json.trunk).toMatchObject({ registration: null, up: true });
});

test('a rejected call that an earlier version stored has no code', async () => {
  await web.runtime.db.sipRefusal.create({
    data: {
      trunkId,
      at: NOW,
      status: 403,
      source: '198.41.0.9',
      number: 'x',
      reason: 'The trunk is PENDING.',
    },
  });
  expect((await diagnostics()).json.diagnostics.refusals).toEqual([
    {
      id: expect.any(Number),
      at: NOW.toISOString(),
      status: 403,
      source: '198.41.0.9',
      number: 'x',
      reason: 'The trunk is PENDING.',
      code: null,
      fix: null,
      field: null,
      docs: null,
      hasLadder: false,
    },
  ]);
});

test('only the owner of a trunk sees its diagnostics and may test it', async () => {
  const platform = await web.runtime.db.sipTrunk.findFirstOrThrow({ where: { consumerId: null } }).catch(() =>
    web.runtime.db.sipTrunk.create({
      data: { name: 'platform', ingressLabel: 'platform', host: '192.0.2.1', status: 'ACTIVE' },
    }),
  );
  const launched = await launchedSession(web, 'acme', 'shop', 'ADMIN');
  for (const request of [
    (as: object, id?: number) => call('getTrunkDiagnostics', { ...as, path: { trunkId: id ?? trunkId } }),
    runTest,
  ]) {
    expectError(await request({ key: rival }), 404, 'not_found');
    expectError(await request({ key }, platform.id), 404, 'not_found');
    expectError(await request({ key }, 999_999), 404, 'not_found');
    expectError(await request(launched), 403, 'forbidden');
    expectError(await request({}), 401, 'unauthorized');
  }
  expectError(await runTest(await staffSession(web, 'acme', 'SUPERVISOR')), 403, 'forbidden');
});

test('without a realtime node a test is 503 within two seconds, and does not count', async () => {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const startedAt = performance.now();
    expectError(await runTest(), 503, 'sip_unavailable');
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  }
});

describe('with a realtime node', () => {
  let result: TrunkTestResult;
  beforeAll(async () => {
    const { db } = web.runtime;
    const target = { host: 'sip.carrier.example', port: 5060, transport: 'UDP' } as TrunkTarget;
    const facts = checkupFactsOf(target);
    const ping = {
      up: true,
      status: 200,
      reason: 'OK',
      rttMs: 18,
      error: null,
      at: NOW.toISOString(),
      target: 'sip:sip.carrier.example:5060;transport=udp',
    };
    const checked = {
      host: 'sip.carrier.example',
      transport: 'UDP',
      status: 'ACTIVE',
      inboundSourceCidrs: [],
      codecs: ['PCMA'],
      register: false,
      username: null,
      registration: null,
    } as const;
    result = { ping, checkup: checkupLines(checked, facts) };
    realtime = listen(web.runtime.env.DATABASE_URL, {
      clarion_trunk_test: (id) =>
        void claimTest(db, Number(id), NOW).then(
          (testedAt) => testedAt && finishTest(db, Number(id), testedAt, result),
        ),
    });
    await realtime.ready;
  });

  test('a test returns the ping and the check-up, and diagnostics show the ping', async () => {
    const { status, json } = await runTest();
    expect(status).toBe(200);
    expect('ping' in result && json.ping).toEqual('ping' in result && result.ping);
    expect(json.checkup.map(({ check, result: found, code }) => [check, found, code])).toContainEqual([
      'SOURCES',
      'FAILED',
      'no_sources',
    ]);
    expect((await diagnostics()).json.diagnostics.ping).toEqual(json.ping);
  });

  test('a second test within ten seconds is 429 with Retry-After', async () => {
    expect((await runTest()).status).toBe(200);
    web.setNow(new Date(NOW.getTime() + 4_000));
    const early = await runTest();
    expectError(early, 429, 'too_soon');
    expect(early.headers.get('retry-after')).toBe('6');
    web.setNow(new Date(NOW.getTime() + 10_000));
    expect((await runTest()).status).toBe(200);
    web.setNow(NOW);
  });

  test('while the SIP server is down a test is 503', async () => {
    const before = result;
    result = { unavailable: true };
    expectError(await runTest(), 503, 'sip_unavailable');
    result = before;
    expect((await runTest()).status).toBe(200);
  });
});
