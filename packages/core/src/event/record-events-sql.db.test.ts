/** The SQL function `record_events`, and the announcement of what it recorded. */
import { randomUUID } from 'node:crypto';
import { createPool, listen, notify } from '@clarion/db';
import type { Database, SqlPool, Tx } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { announceDeliveries, transact } from '../announce-deliveries.ts';
import { statusOf } from './event-status.ts';
import { recordEvent } from './record-event.ts';
import type { EventToRecord } from './record-event.ts';

const now = new Date('2026-01-05T09:00:00.000Z');
let testDatabase: TestDatabase;
let db: Database;
let sql: SqlPool;
let consumerId: number;
let tenantId: number;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  sql = createPool(testDatabase.url, { connections: 3, onError: () => undefined });
});
afterAll(async () => {
  await sql.end();
  await testDatabase.drop();
});
beforeEach(async () => {
  const consumer = await db.consumer.create({
    data: { slug: randomUUID(), name: 'Acme', webhookUrl: 'https://acme.example/hook' },
  });
  consumerId = consumer.id;
  ({ id: tenantId } = await db.tenant.create({ data: { consumerId, ref: 't', name: 'T' } }));
});

const toRecord = (changes: Partial<EventToRecord> = {}): EventToRecord => ({
  eventId: randomUUID(),
  consumerId,
  tenantId,
  tenantRef: 't',
  callId: null,
  type: 'call.ended',
  sequence: null,
  body: JSON.stringify({ name: 'Zoë – “ok” 🎉\0\\"' }),
  occurredAt: now.toISOString(),
  dueAt: now.toISOString(),
  ...changes,
});
const record = async (events: EventToRecord[]) => {
  const { rows } = await sql.query('select record_events($1::jsonb) as due', [JSON.stringify(events)]);
  return rows[0].due as number;
};
const recorded = () =>
  db.event.findMany({ where: { consumerId }, orderBy: { id: 'asc' }, include: { delivery: true } });
const deliveries = () => db.eventDelivery.findMany({ where: { consumerId } });

test('records events in the given order, with the bytes of their bodies and a delivery of each', async () => {
  const events = Array.from({ length: 20 }, (_, index) => toRecord({ sequence: index + 1 }));
  expect(await record(events)).toBe(20);
  const rows = await recorded();
  expect(rows.map(({ eventId, body, sequence }) => ({ eventId, body, sequence }))).toEqual(
    events.map(({ eventId, body, sequence }) => ({ eventId, body, sequence })),
  );
  expect(rows[0]).toMatchObject({ occurredAt: now, undelivered: null, delivery: { attemptCount: 0 } });
  expect((await deliveries()).map(({ eventRowId, dueAt }) => ({ eventRowId, dueAt }))).toEqual(
    rows.map(({ id }) => ({ eventRowId: id, dueAt: now })),
  );
});

test.each([
  ['every type without a selection', 'https://a.example/', null, ['PENDING', 'PENDING', 'PENDING']],
  ['selected types', 'https://a.example/', ['call.ended'], ['DISCARDED', 'PENDING', 'PENDING']],
  ['an empty selection', 'https://a.example/', [], ['DISCARDED', 'DISCARDED', 'PENDING']],
  ['no URL', null, null, ['DISCARDED', 'DISCARDED', 'DISCARDED']],
] as const)('sends %s, and test events if there is a URL', async (_, webhookUrl, selected, statuses) => {
  const webhookEventTypes = selected === null ? undefined : [...selected];
  await db.consumer.update({
    where: { id: consumerId },
    data: { webhookUrl, ...(webhookEventTypes && { webhookEventTypes }) },
  });
  const due = await record(
    (['call.created', 'call.ended', 'webhook.test'] as const).map((type) => toRecord({ type })),
  );
  const rows = await recorded();
  expect(rows.map(statusOf)).toEqual(statuses);
  expect((await deliveries()).map(({ eventRowId }) => eventRowId)).toEqual(
    rows.filter((row) => statusOf(row) === 'PENDING').map(({ id }) => id),
  );
  expect(due).toBe(statuses.filter((status) => status === 'PENDING').length);
});

test('an unknown account is an error, and a failed transaction records nothing', async () => {
  await expect(record([toRecord({ consumerId: 2_000_000_000 })])).rejects.toThrow(/foreign key/);
  await expect(record([toRecord(), toRecord({ consumerId: 2_000_000_000 })])).rejects.toThrow(/foreign key/);
  expect(await recorded()).toEqual([]);
  expect(await deliveries()).toEqual([]);
});

test('in one statement with the call that it creates, and only if the condition of the statement holds', async () => {
  const begin = (condition: boolean) =>
    sql.query(
      `with call as (
        insert into "Call" ("consumerId", "tenantId", "channelRef", "channelType", direction, "customerAddress", "customerAddressType")
        select $1, $2, 'main', 'SIP', 'INBOUND', '+442079460123', 'E164' where $3
        returning id
      ), recorded as (
        select call.id, record_events(jsonb_set($4::jsonb, '{0,callId}', to_jsonb(call.id))) as due from call
      )
      select * from recorded`,
      [consumerId, tenantId, condition, JSON.stringify([toRecord({ type: 'call.created' })])],
    );
  expect((await begin(false)).rows).toEqual([]);
  expect(await recorded()).toEqual([]);
  const { rows } = await begin(true);
  expect(rows).toMatchObject([{ due: 1 }]);
  expect(await recorded()).toMatchObject([{ callId: rows[0].id, delivery: {} }]);
});

test('no commit of an event notifies; afterwards the workers are notified once', async () => {
  let count = 0;
  let waiting: (() => void) | undefined;
  let fence: (() => void) | undefined;
  const listener = listen(testDatabase.url, {
    clarion_delivery() {
      count += 1;
      waiting?.();
    },
    clarion_tenant: () => fence?.(),
  });
  await listener.ready;
  const announced = () => new Promise<void>((resolve) => (waiting = resolve));
  /** PostgreSQL delivers notifications in the order of commits: everything sent so far has arrived. */
  const everythingArrived = async () => {
    const arrived = new Promise<void>((resolve) => (fence = resolve));
    await notify(db, 'clarion_tenant', 1);
    await arrived;
  };
  const recordTest = (tx: Tx) =>
    recordEvent(tx, {
      type: 'webhook.test',
      data: { test: { sentBy: null } },
      consumerId,
      tenant: null,
      occurredAt: now,
      now,
    });
  await db.$transaction(recordTest); // without `transact`
  await everythingArrived();
  expect(count).toBe(0);
  const first = announced();
  await transact(db, recordTest);
  await first;
  const second = announced();
  for (let time = 0; time < 10; time += 1) announceDeliveries(db);
  await second;
  await everythingArrived();
  expect(count).toBe(2);
  expect(await deliveries()).toHaveLength(2);
  await listener.stop();
});
