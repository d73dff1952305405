import { randomUUID } from 'node:crypto';
import type { Prisma } from '@clarion/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchedSession } from '../dashboard.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';
import type { TenantFixture } from '../tenant-fixture.ts';

const NOW = new Date('2026-03-31T12:30:00.000Z');
const MINUTE = 60_000;
const before = (ms: number) => new Date(NOW.getTime() - ms);

let web: Web;
let acme: TenantFixture;
let rival: TenantFixture;

beforeAll(async () => {
  web = await startWeb();
  web.setNow(NOW);
  acme = await createTenantFixture(web, 'acme');
  rival = await createTenantFixture(web, 'rival');
});
afterAll(() => web.stop());

const overview = async (key: string) => (await call('getOverview', { key })).json.overview;

async function addCall(fixture: TenantFixture, more: Partial<Prisma.CallUncheckedCreateInput>) {
  const { db } = web.runtime;
  const { id: tenantId, consumerId } = await db.tenant.findFirstOrThrow({
    where: { ref: 'shop', consumer: { slug: fixture.consumer.slug } },
  });
  const row = await db.call.create({
    data: {
      consumerId,
      tenantId,
      direction: 'INBOUND',
      channelRef: 'main',
      channelType: 'SIP',
      customerAddressType: 'E164',
      createdAt: before(MINUTE),
      ...more,
    },
  });
  const live = (where: Partial<Prisma.LiveCallUncheckedCreateInput>) =>
    db.liveCall.create({ data: { callId: row.id, consumerId, tenantId, state: {}, ...where } });
  return { id: row.id, live };
}

test('a new account has no calls and nothing that needs attention', async () => {
  const { now, lastDay, tenants, attention } = await overview(acme.key);
  expect(now).toEqual({
    liveCalls: 0,
    waiting: 0,
    longestWaitSeconds: null,
    agents: { available: 0, onCall: 0, offline: 2 },
  });
  expect(lastDay).toMatchObject({ total: 0, answered: 0, abandoned: 0 });
  expect(lastDay.hours).toHaveLength(24);
  expect(tenants.map(({ ref }) => ref)).toEqual(['shop']);
  expect(attention).toEqual([]);
});

test("shows this account's live calls, callers without an available agent, and the last day", async () => {
  const { db } = web.runtime;
  const queue = await db.queue.findFirstOrThrow({
    where: { ref: 'support', tenant: { consumer: { slug: 'acme' } } },
  });
  const waiting = await addCall(acme, { status: 'RINGING', queuedAt: before(90_000) });
  await waiting.live({ waitingQueueId: queue.id, waitingSince: before(90_000) });
  const talking = await addCall(acme, { status: 'IN_PROGRESS', answeredAt: before(MINUTE) });
  await talking.live({ activeQueueId: queue.id });
  await addCall(acme, {
    status: 'TERMINATED',
    terminationReason: 'CANCELLED',
    terminatedBy: 'CUSTOMER',
    queuedAt: before(2 * 60 * MINUTE),
    createdAt: before(2 * 60 * MINUTE),
    endedAt: before(118 * MINUTE),
  });
  await addCall(acme, {
    status: 'TERMINATED',
    createdAt: before(25 * 60 * MINUTE),
    endedAt: before(24 * 60 * MINUTE),
  });
  await (await addCall(rival, { status: 'IN_PROGRESS' })).live({});

  const { now, lastDay, attention } = await overview(acme.key);
  expect(now).toMatchObject({ liveCalls: 2, waiting: 1, longestWaitSeconds: 90 });
  expect(lastDay).toMatchObject({ total: 3, answered: 1, abandoned: 1 });
  expect(lastDay.hours.at(-1)).toEqual({ start: '2026-03-31T12:00:00.000Z', total: 2, answered: 1 });
  expect(lastDay.hours.at(-3)).toMatchObject({ total: 1, answered: 0 });
  expect(attention).toEqual([{ kind: 'WAITING_UNSTAFFED', tenantRef: 'shop', count: 1, about: ['Support'] }]);
});

test('problems are listed until they are fixed', async () => {
  await call('putTenant', {
    key: rival.key,
    path: { tenantRef: 'shop' },
    body: { name: 'Shop', status: 'SUSPENDED' },
  });
  await rival.putLine('old', '+442071838759', { status: 'DISABLED' });
  expect((await overview(rival.key)).attention).toEqual([
    { kind: 'LINES_DISABLED', tenantRef: 'shop', count: 1, about: ['old'] },
    { kind: 'TENANT_SUSPENDED', tenantRef: 'shop', count: 1, about: ['Shop'] },
  ]);
});

test('a failed delivery needs attention for as long as the checklist counts it', async () => {
  const { id: consumerId } = await web.runtime.db.consumer.findFirstOrThrow({ where: { slug: 'acme' } });
  const days = (count: number) => before(count * 24 * 60 * MINUTE);
  for (const occurredAt of [days(3), days(8)]) {
    const event = { consumerId, eventId: randomUUID(), type: 'call.ended', undelivered: 'FAILED' } as const;
    await web.runtime.db.event.create({ data: { ...event, body: '{}', occurredAt } });
  }
  const { attention } = await overview(acme.key);
  expect(attention).toContainEqual({
    kind: 'DELIVERIES_FAILED',
    tenantRef: null,
    count: 1,
    about: ['call.ended'],
  });
  const { checklist } = (await call('getChecklist', { key: acme.key })).json;
  const found = checklist.missing.find(({ check }) => check === 'deliveries');
  expect(found?.message).toContain('1 events');
});

test('the checklist can be limited to one tenant, and an unknown tenant is 404', async () => {
  const { checklist } = (await call('getChecklist', { key: acme.key, query: 'tenant_ref=shop' })).json;
  expect(checklist.missing.map(({ check }) => check)).toContain('webhook');
  expect(checklist.done).toContainEqual(expect.objectContaining({ check: 'lines', tenantRef: 'shop' }));
  expect(checklist.tenantsLeft).toBe(0);
  expectError(await call('getChecklist', { key: acme.key, query: 'tenant_ref=nowhere' }), 404, 'not_found');
});

test('a launched user sees only their tenant and nothing of the account', async () => {
  await call('putTenant', { key: acme.key, path: { tenantRef: 'other' }, body: { name: 'Other' } });
  const { session } = await launchedSession(web, 'acme', 'other', 'ADMIN');
  const { tenants, now } = (await call('getOverview', { session })).json.overview;
  expect(tenants.map(({ ref }) => ref)).toEqual(['other']);
  expect(now.liveCalls).toBe(0);
  const { checklist } = (await call('getChecklist', { session })).json;
  const all = [...checklist.done, ...checklist.missing];
  expect(new Set(all.map(({ tenantRef }) => tenantRef))).toEqual(new Set(['other']));
  expectError(await call('getChecklist', { session, query: 'tenant_ref=shop' }), 404, 'not_found');
});
