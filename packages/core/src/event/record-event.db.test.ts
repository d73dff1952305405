/** Events that are not about calls: when they are recorded, and what they contain. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Consumer, Database, Tenant } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { envelope, eventData } from '@clarion/protocol';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deleteAgent } from '../agent/delete-agent.ts';
import { setShift } from '../agent/set-shift.ts';
import { beginIntent } from '../call-machine/arrival.ts';
import { commitStep } from '../call-engine/commit.ts';
import { toJson } from '../call-engine/stored.ts';
import { loadStep } from '../call-store/load-step.ts';
import { stepSqlOf } from '../call-store/step-sql.ts';
import type { HistoryEffect } from '../call-machine/effects.ts';
import { forConsumer } from '../consumer/operator.ts';
import type { OperatorCtx } from '../consumer/operator.ts';
import { createSecretBox } from '../security/secret-box.ts';
import { createStore } from '@clarion/store/store';
import { createTrunk } from '../trunk/create-trunk.ts';
import { moveTrunk } from '../trunk/trunk-moves.ts';
import type { TrunkMove } from '../trunk/trunk-moves.ts';
import { statusOf } from './event-status.ts';

const now = new Date();
let testDatabase: TestDatabase;
let db: Database;
let operator: OperatorCtx;
let consumer: Consumer;
let tenant: Tenant;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  const secrets = createSecretBox([randomBytes(32).toString('base64')]);
  const baseUrl = 'https://clarion.example';
  operator = {
    actor: { kind: 'operator', id: 'test' },
    surface: 'cli',
    db,
    now,
    log: pino({ level: 'silent' }),
    secrets,
    store: createStore({ provider: 'local', dataDir: '/nonexistent', s3: null }, { secrets, baseUrl }),
    settings: {
      baseUrl,
      ingressDomain: 'sip.example.com',
      allowPrivateEgress: false,
      operatorName: 'Operator',
    },
  };
});
afterAll(() => testDatabase.drop());
beforeEach(async () => {
  consumer = await db.consumer.create({
    data: { slug: randomUUID(), name: 'Acme', webhookUrl: 'https://acme.example/hook' },
  });
  tenant = await db.tenant.create({ data: { consumerId: consumer.id, ref: 't', name: 'T' } });
});

/** Every event of the consumer, oldest first, each checked against its type's schema. */
async function recorded() {
  const rows = await db.event.findMany({
    where: { consumerId: consumer.id },
    orderBy: { id: 'asc' },
    include: { delivery: true },
  });
  return rows.map((row) => {
    const { body } = row;
    const event = envelope.parse(JSON.parse(body));
    eventData[event.event_type].parse(event.data);
    return {
      type: event.event_type,
      tenantRef: event.tenant_ref,
      data: event.data,
      status: statusOf(row),
      event,
    };
  });
}

const newTrunk = (slug: string | null) =>
  createTrunk(operator, {
    slug,
    name: `trunk-${randomUUID()}`,
    host: '203.0.113.9',
    port: 5060,
    transport: 'UDP',
    inboundSourceCidrs: ['203.0.113.9'],
    ingressLabel: null,
    numberRules: null,
    quirks: {},
    credentials: { username: 'u', password: 'hunter2' },
  });

test('each decision of the operator on a trunk records an event of its consumer with the new state of the trunk', async () => {
  const { id } = await newTrunk(consumer.slug);
  const decide = (move: TrunkMove, note: string | null = null) => moveTrunk(operator, id, move, note);
  await decide('approve');
  await decide('suspend', 'unpaid');
  await decide('lift');
  await db.sipTrunk.update({ where: { id }, data: { status: 'PENDING' } });
  await decide('reject', 'no contract');
  const events = await recorded();
  expect(events.map(({ type, tenantRef }) => [type, tenantRef])).toEqual(
    Array.from({ length: 4 }, () => ['sip_trunk.status_changed', null]),
  );
  expect(events.map(({ data }) => data['trunk'])).toMatchObject([
    {
      id,
      owner: 'CONSUMER',
      status: 'ACTIVE',
      reviewNote: null,
      ingressHost: expect.stringContaining('.sip.'),
    },
    { status: 'SUSPENDED', reviewNote: 'unpaid' },
    { status: 'DISABLED' },
    { status: 'DRAFT', reviewNote: 'no contract', hasCredentials: true },
  ]);
  expect(events.every(({ status }) => status === 'PENDING')).toBe(true);
  expect(JSON.stringify(events)).not.toContain('hunter2');
});

test('a rejected decision records no event, nor does one on a platform trunk', async () => {
  const own = await newTrunk(consumer.slug);
  await expect(moveTrunk(operator, own.id, 'lift', null)).rejects.toMatchObject({ code: 'invalid_state' });
  const platform = await newTrunk(null);
  await moveTrunk(operator, platform.id, 'approve', null);
  expect(await recorded()).toEqual([]);
  expect(
    await db.event.count({ where: { consumerId: { not: consumer.id }, type: 'sip_trunk.status_changed' } }),
  ).toBe(4); // those of the previous test
});

test('an event whose type is not selected, or without a URL, is recorded and discarded', async () => {
  await db.consumer.update({ where: { id: consumer.id }, data: { webhookEventTypes: ['call.ended'] } });
  const { id } = await newTrunk(consumer.slug);
  await moveTrunk(operator, id, 'approve', null);
  await db.consumer.update({
    where: { id: consumer.id },
    data: { webhookEventTypes: ['sip_trunk.status_changed'], webhookUrl: null },
  });
  await moveTrunk(operator, id, 'suspend', null);
  expect((await recorded()).map(({ status }) => status)).toEqual(['DISCARDED', 'DISCARDED']);
  expect(await db.eventDelivery.findMany({ where: { consumerId: consumer.id } })).toEqual([]);
});

test("every actual change of an agent's availability records an event, and nothing else does", async () => {
  const agent = await db.agent.create({ data: { tenantId: tenant.id, ref: 'ada', name: 'Ada' } });
  const call = await db.call.create({
    data: {
      consumerId: consumer.id,
      tenantId: tenant.id,
      channelRef: 'main',
      channelType: 'SIP',
      direction: 'INBOUND',
      customerAddress: '+442079460123',
      customerAddressType: 'E164',
    },
  });
  const dial = { trunkId: 1, called: '+442079460123', caller: '+442079460100', callerName: null };
  const { state } = beginIntent(
    { callId: call.id, record: false, mediaPath: 'ROOM', agentId: agent.id, dial },
    now.getTime(),
  );
  await db.liveCall.create({
    data: { callId: call.id, consumerId: consumer.id, tenantId: tenant.id, state: toJson(state) },
  });
  const sql = stepSqlOf(db);
  const step = async (change: Extract<HistoryEffect, { kind: 'agent' }>['change']) => {
    const loaded = await loadStep(sql.run, call.id, [agent.id]);
    if (!loaded) throw new Error('the call is not live');
    const next = { state, effects: [{ kind: 'agent', agentId: agent.id, change } as const] };
    await commitStep(sql, loaded, state, next, now, { runsEffects: true });
  };
  await setShift(db, agent.id, 'OFFLINE', now); // as it is
  await setShift(db, agent.id, 'AVAILABLE', now);
  await setShift(db, agent.id, 'AVAILABLE', now);
  await step('reserve'); // rings
  await step('missed');
  await step('reserve');
  await step('engage');
  await step('answered');
  await setShift(db, agent.id, 'OFFLINE', now); // shows when the call ends
  await step('talked');
  await setShift(db, agent.id, 'AVAILABLE', now);
  await deleteAgent(forConsumer(operator, consumer), 't', 'ada');
  const events = await recorded();
  expect(
    events.every(({ type, tenantRef }) => type === 'agent.availability_changed' && tenantRef === 't'),
  ).toBe(true);
  expect(events.map(({ data }) => data['agent'])).toMatchObject(
    ['AVAILABLE', 'ON_CALL', 'OFFLINE', 'AVAILABLE', 'OFFLINE'].map((availability) => ({
      ref: 'ada',
      availability,
    })),
  );
});
