/** Every change that decides about an INVITE reaches a node that keeps trunks in memory. */
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { listen } from '@clarion/db';
import type { Database, Listener, Prisma } from '@clarion/db';
import { inviteRequest } from '@clarion/testkit/peers/invite-request';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { stepSqlOf } from '../call-store/step-sql.ts';
import type { RunStatement } from '../call-store/step-sql.ts';
import { storePing, storeRegistration } from '../trunk/trunk-state.ts';
import { carrierTrunk } from './__fixtures__/carrier-trunk.ts';
import { queueLine } from './__fixtures__/queue-line.ts';
import { findLine } from './match-trunk.ts';
import { createTrunkCache } from './trunk-cache.ts';
import type { TrunkCache } from './trunk-cache.ts';

const SOURCE = '192.0.2.1';
const NUMBER = '+442079460001';

let testDatabase: TestDatabase;
let db: Database;
let listener: Listener;
let cache: TrunkCache;
let trunkId: number;
let reads = 0;
let notifications = 0;
let isCurrent = true;
let evicted: PromiseWithResolvers<void>;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  cache = createTrunkCache(() => isCurrent);
  evicted = Promise.withResolvers();
  listener = listen(testDatabase.url, {
    clarion_trunk() {
      cache.evictAll();
      notifications += 1;
      evicted.resolve();
    },
  });
  await listener.ready;
  const consumer = await db.consumer.create({ data: { slug: 'acme', name: 'Acme' } });
  const tenant = await db.tenant.create({ data: { consumerId: consumer.id, ref: 't', name: 'T' } });
  const trunk = await change(() => carrierTrunk(db, consumer.id));
  trunkId = trunk.id;
  await queueLine(db, { tenantId: tenant.id, sipTrunkId: trunkId, address: NUMBER });
});
afterAll(async () => {
  await listener.stop();
  await testDatabase.drop();
});

/** Resolves when the node has been notified. */
async function change<T>(make: () => Promise<T>): Promise<T> {
  evicted = Promise.withResolvers();
  const made = await make();
  await evicted.promise;
  return made;
}
const set = (data: Prisma.SipTrunkUpdateInput) =>
  change(() => db.sipTrunk.update({ where: { id: trunkId }, data }));

const run: RunStatement = (statement, values) => {
  reads += 1;
  return stepSqlOf(db).run(statement, values);
};
const bySource = async () => (await cache.find(run, null, SOURCE)).map(({ id }) => id);
const invite = (requestUser = NUMBER) =>
  findLine(
    { db, ingressDomain: 'sip.example.com', trunks: cache },
    inviteRequest({ requestUser, source: { address: SOURCE, port: 5060, transport: 'UDP' } }),
  );

beforeEach(async () => {
  isCurrent = true;
  await set({
    status: 'ACTIVE',
    inboundSourceCidrs: ['192.0.2.0/28'],
    ingressLabel: 'acme',
  });
  reads = 0;
});

test('trunks are read once, also none, and while notifications are missed every time', async () => {
  expect([await bySource(), await bySource()]).toEqual([[trunkId], [trunkId]]);
  expect([await cache.find(run, 'unknown', SOURCE), await cache.find(run, 'unknown', SOURCE)]).toEqual([
    [],
    [],
  ]);
  expect(reads).toBe(2);
  isCurrent = false;
  await bySource();
  await bySource();
  expect(reads).toBe(4);
});

test.each<[string, Prisma.SipTrunkUpdateInput]>([
  ['is suspended', { status: 'SUSPENDED' }],
  ['gets other source addresses', { inboundSourceCidrs: ['198.51.100.0/24'] }],
])('an INVITE is rejected when its trunk %s', async (_, data) => {
  expect(await invite()).toMatchObject({ trunk: { id: trunkId } });
  await set(data);
  expect(await invite()).toMatchObject({ status: 403 });
});

test('a new ingress host and new number rules apply to the next INVITE', async () => {
  expect(await cache.find(run, 'acme', SOURCE)).toHaveLength(1);
  await set({ ingressLabel: 'new' });
  expect(await cache.find(run, 'acme', SOURCE)).toEqual([]);
  expect(await invite('02079460001')).toMatchObject({ status: 404 });
  await set({ numberRules: { countryCode: '44', nationalPrefix: '0' } });
  expect(await invite('02079460001')).toMatchObject({ trunk: { id: trunkId } });
});

test('a trunk that is created or deleted is known to the next INVITE', async () => {
  expect(await bySource()).toEqual([trunkId]);
  const other = await change(() => carrierTrunk(db, null, { ingressLabel: 'other' }));
  expect(await bySource()).toEqual([trunkId, other.id]);
  await change(() => db.sipTrunk.delete({ where: { id: other.id } }));
  expect(await bySource()).toEqual([trunkId]);
});

test('the address at which a trunk is registered is known to the next INVITE', async () => {
  const registrar = '198.51.100.77';
  const found = async () => (await cache.find(run, null, registrar)).map(({ id }) => id);
  expect(await found()).toEqual([]);
  const stored = {
    state: 'REGISTERED',
    status: 200,
    error: null,
    code: null,
    at: '',
    expiresAt: null,
    target: null,
  };
  await change(() => storeRegistration(db, trunkId, { ...stored, state: 'REGISTERED' }, registrar));
  expect(await found()).toEqual([trunkId]);
  // A refresh and a ping notify nobody: the next notification is that of the end.
  const before = notifications;
  await storeRegistration(db, trunkId, { ...stored, state: 'REGISTERED' }, registrar);
  const at = new Date().toISOString();
  await storePing(db, trunkId, {
    up: true,
    status: 200,
    reason: null,
    rttMs: 1,
    error: null,
    at,
    target: '',
  });
  await change(() => storeRegistration(db, trunkId, null, null));
  expect(notifications).toBe(before + 1);
  expect(await found()).toEqual([]);
});
