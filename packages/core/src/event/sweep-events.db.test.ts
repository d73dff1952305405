import { randomUUID } from 'node:crypto';
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
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
  await db.$executeRaw`delete from graphile_worker._private_jobs`;
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
const jobsOf = (eventId: string) =>
  db.$queryRaw<{ attempts: number; flags: unknown; key: string | null }[]>`
    select attempts, flags, key from graphile_worker._private_jobs where payload ->> 'eventId' = ${eventId}`;

test('a pending event without a job gets one, even if several sweeps run concurrently', async () => {
  const event = await makeEvent(120);
  const found = await Promise.all([sweepEvents(db), sweepEvents(db), sweepEvents(db)]);
  expect(Math.max(...found)).toBe(1);
  expect(await jobsOf(event.eventId)).toEqual([
    { attempts: 0, flags: { [`consumer:${consumerId}`]: true }, key: `event:${event.eventId}` },
  ]);
  expect(await sweepEvents(db)).toBe(0);
});

test('an event whose job failed permanently gets another', async () => {
  const event = await makeEvent(120);
  await enqueueDelivery(db, event);
  await db.$executeRaw`update graphile_worker._private_jobs set attempts = max_attempts`;
  expect(await sweepEvents(db)).toBe(1);
  expect(await jobsOf(event.eventId)).toMatchObject([{ attempts: 0 }]);
});

test('an event that is being delivered, waits for a retry, is not overdue or is finished is not changed', async () => {
  const [delivering, waiting] = [await makeEvent(120), await makeEvent(120)];
  for (const event of [delivering, waiting]) await enqueueDelivery(db, event);
  await db.$executeRaw`update graphile_worker._private_jobs set locked_by = 'w', locked_at = now(), attempts = max_attempts
    where payload ->> 'eventId' = ${delivering.eventId}`;
  await makeEvent(10);
  await makeEvent(120, 'DELIVERED');
  expect(await sweepEvents(db)).toBe(0);
  expect(await db.$queryRaw`select count(*)::int as jobs from graphile_worker._private_jobs`).toEqual([
    { jobs: 2 },
  ]);
});
