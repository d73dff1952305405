import { randomUUID } from 'node:crypto';
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { adoptDelivery } from './adopt-delivery.ts';
import { enqueueDelivery } from './enqueue-delivery.ts';
import { sweepEvents } from './sweep-events.ts';

let testDatabase: TestDatabase;
let db: Database;
let consumerId: number;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
});
afterAll(() => testDatabase.drop());
beforeEach(async () => {
  await db.event.deleteMany();
  ({ id: consumerId } = await db.consumer.create({ data: { slug: randomUUID(), name: 'Acme' } }));
});

async function makeEvent(overdueSeconds: number, status: 'PENDING' | 'DELIVERED' = 'PENDING') {
  const at = new Date(Date.now() - overdueSeconds * 1000);
  return db.event.create({
    data: {
      eventId: randomUUID(),
      consumerId,
      type: 'call.ended',
      body: '{}',
      occurredAt: at,
      status,
      nextAttemptAt: at,
    },
  });
}
const deliveriesOf = (id: bigint) => db.eventDelivery.findMany({ where: { eventRowId: id } });

test('a pending event without a delivery gets one, even if several sweeps run concurrently', async () => {
  const event = await makeEvent(120);
  const found = await Promise.all([sweepEvents(db), sweepEvents(db), sweepEvents(db)]);
  expect(found.toSorted()).toEqual([0, 0, 1]);
  expect(await deliveriesOf(event.id)).toMatchObject([{ consumerId, priority: 0, claimedBy: null }]);
  expect(await sweepEvents(db)).toBe(0);
});

test('an event that is being delivered, waits for a retry, is not overdue or is finished is not changed', async () => {
  const [delivering, waiting] = [await makeEvent(120), await makeEvent(120)];
  for (const event of [delivering, waiting]) await enqueueDelivery(db, event);
  await db.eventDelivery.update({
    where: { eventRowId: delivering.id },
    data: { claimedBy: 'w', claimedAt: new Date() },
  });
  await makeEvent(10);
  await makeEvent(120, 'DELIVERED');
  expect(await sweepEvents(db)).toBe(0);
  expect(await db.eventDelivery.count()).toBe(2);
  expect(await deliveriesOf(delivering.id)).toMatchObject([{ claimedBy: 'w' }]);
});

test('a delivery recorded as a job by a process of the previous version is adopted once, and only while its event is pending', async () => {
  const [pending, finished] = [await makeEvent(0), await makeEvent(0, 'DELIVERED')];
  await Promise.all([adoptDelivery(db, pending.eventId), adoptDelivery(db, pending.eventId)]);
  await adoptDelivery(db, finished.eventId);
  await adoptDelivery(db, randomUUID());
  expect(await db.eventDelivery.findMany()).toMatchObject([{ eventRowId: pending.id, consumerId }]);
});

test('deleting an event, alone or with its account, deletes its delivery and no other', async () => {
  const [kept, deleted] = [await makeEvent(0), await makeEvent(0)];
  for (const event of [kept, deleted]) await enqueueDelivery(db, event);
  await db.event.delete({ where: { id: deleted.id } });
  expect(await db.eventDelivery.findMany()).toMatchObject([{ eventRowId: kept.id }]);
  await db.consumer.delete({ where: { id: consumerId } });
  expect(await db.eventDelivery.count()).toBe(0);
});
