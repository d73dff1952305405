import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createPool } from '@clarion/db';
import type { Database, Event, SqlPool } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { deliverNow } from '@clarion/testkit/load/deliver-now';
import { startWebhookReceiver } from '@clarion/testkit/peers/webhook-receiver';
import type { WebhookReceiver } from '@clarion/testkit/peers/webhook-receiver';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createEgress } from '../egress/guard.ts';
import type { Egress } from '../egress/guard.ts';
import { createSecretBox } from '../security/secret-box.ts';
import { claimDeliveries } from './claim-deliveries.ts';
import { enqueueDelivery } from './enqueue-delivery.ts';
import { presentOneEvent } from './present-events.ts';
import { recordAttempts } from './record-attempts.ts';
import { newWebhookSecret, PREVIOUS_SECRET_MS } from './signature.ts';

const secrets = createSecretBox([Buffer.alloc(32, 7).toString('base64')]);
const log = pino({ level: 'silent' });
const secret = newWebhookSecret();
const ANY = { count: 1_000, fullConsumers: [], room: new Map(), roomOfOthers: 1_000 };
const attempt = { at: new Date(), durationMs: 1, status: 500, error: 'no', responseSnippet: null };

let testDatabase: TestDatabase;
let db: Database;
let sql: SqlPool;
let egress: Egress;
let receiver: WebhookReceiver;
let consumerId: number;
let now: Date;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  sql = createPool(testDatabase.url, { connections: 6, onError: () => undefined });
  egress = createEgress({ allowPrivate: true });
});
afterAll(async () => {
  await egress.close();
  await sql.end();
  await testDatabase.drop();
});
beforeEach(async () => {
  now = new Date();
  receiver = await startWebhookReceiver({ secrets: [secret] });
  const consumer = await db.consumer.create({
    data: {
      slug: `c-${randomUUID()}`,
      name: 'Acme',
      webhookUrl: receiver.url,
      webhookSecretSealed: secrets.seal('webhook-secret', secret),
    },
  });
  consumerId = consumer.id;
});
afterEach(() => receiver.close());

const deliver = (event: Event) => deliverNow({ db, sql, secrets, egress, log, now: () => now }, event);

/** An event as stored by record-event, with its delivery. */
async function recordEvent(): Promise<Event> {
  const eventId = randomUUID();
  const body = JSON.stringify({
    event_id: eventId,
    event_type: 'call.ended',
    data: { call: { customer: { name: 'Zoë – “ok” 🎉' } } },
    occurred_at: now.toISOString(),
    tenant_ref: 't1',
    api_version: '1',
    sequence: 1,
  });
  return db.event.create({
    data: {
      eventId,
      consumerId,
      tenantRef: 't1',
      type: 'call.ended',
      body,
      occurredAt: now,
      delivery: { create: { consumerId, dueAt: now } },
    },
  });
}

/** The event as it is presented, and the state of its delivery. */
async function stored(event: Event) {
  const row = await db.event.findUniqueOrThrow({ where: { id: event.id }, include: { delivery: true } });
  const { status, attempts } = await presentOneEvent(db, row);
  return {
    status,
    attempts,
    nextAttemptAt: row.delivery?.dueAt ?? null,
    attemptCount: row.delivery?.attemptCount ?? null,
  };
}

/** Until a connection of this database waits for a lock. */
async function waitsForLock(): Promise<void> {
  for (;;) {
    const [row] = await db.$queryRaw<{ waiting: boolean }[]>`select exists (
      select 1 from pg_stat_activity where datname = current_database() and "wait_event_type" = 'Lock') as "waiting"`;
    if (row?.waiting) return;
  }
}

test('delivers the stored bytes with both signatures, and records it', async () => {
  const event = await recordEvent();
  expect(await deliver(event)).toBe('delivered');
  const [delivery] = receiver.deliveries;
  expect(delivery?.body).toBe(event.body);
  expect(delivery?.signatureValid).toBe(true);
  expect(delivery?.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': event.eventId,
    'x-clarion-signature': expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
  });
  const verified = new Webhook(secret).verify(event.body, delivery?.headers as Record<string, string>);
  expect(verified).toEqual(JSON.parse(event.body));
  expect(await stored(event)).toMatchObject({
    status: 'DELIVERED',
    nextAttemptAt: null,
    attempts: [{ status: 200, error: null }],
  });
});

test('a delivered event is not sent again by a job that is run twice', async () => {
  const event = await recordEvent();
  await deliver(event);
  expect(await deliver(event)).toBe('skipped');
  expect(receiver.deliveries).toHaveLength(1);
});

test('follows the whole schedule and fails after the 12th attempt', async () => {
  receiver.answer({ status: 503, body: 'no' });
  const event = await recordEvent();
  const delays: number[] = [];
  for (let attempt = 1; attempt <= 11; attempt += 1) {
    expect(await deliver(event)).toBe('retrying');
    const { nextAttemptAt, attemptCount, status } = await stored(event);
    expect({ status, attemptCount }).toEqual({ status: 'PENDING', attemptCount: attempt });
    if (!nextAttemptAt) throw new Error('no next attempt');
    delays.push((nextAttemptAt.getTime() - now.getTime()) / 1000);
    now = nextAttemptAt;
  }
  expect(delays).toEqual([5, 15, 60, 300, 900, 1800, 3600, 3600, 3600, 3600, 3600]);
  expect(await deliver(event)).toBe('failed');
  const { status, nextAttemptAt, attempts } = await stored(event);
  expect({ status, nextAttemptAt }).toEqual({ status: 'FAILED', nextAttemptAt: null });
  expect(attempts).toHaveLength(12);
  expect(attempts[0]).toMatchObject({
    status: 503,
    responseSnippet: 'no',
    error: 'The endpoint returned 503.',
  });
  expect(await deliver(event)).toBe('skipped');
  expect(new Set(receiver.deliveries.map(({ body }) => body))).toEqual(new Set([event.body]));
});

test('a redirect is a failure and is not followed', async () => {
  const elsewhere = await startWebhookReceiver();
  receiver.answer({ status: 307, headers: { location: elsewhere.url } });
  const event = await recordEvent();
  expect(await deliver(event)).toBe('retrying');
  expect((await stored(event)).attempts).toMatchObject([{ status: 307 }]);
  expect(elsewhere.connections()).toBe(0);
  await elsewhere.close();
});

test.each([
  ['close', 'The connection was closed before the response was complete.'],
  ['close-mid-body', 'The connection was closed before the response was complete.'],
] as const)('an incomplete response (%s) is a failure', async (answer, error) => {
  receiver.answer(answer);
  const event = await recordEvent();
  expect(await deliver(event)).toBe('retrying');
  expect((await stored(event)).attempts).toMatchObject([{ status: null, error }]);
});

test('a refused connection is a failure with a message', async () => {
  await receiver.close();
  const event = await recordEvent();
  expect(await deliver(event)).toBe('retrying');
  expect((await stored(event)).attempts).toMatchObject([
    { status: null, error: 'The connection was refused.' },
  ]);
  receiver = await startWebhookReceiver();
});

test('an endpoint that does not respond, or responds too slowly, times out after 10 seconds', async () => {
  const drip = (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 500);
    response.on('close', () => clearInterval(timer));
  };
  receiver.answer('hang', [{ respond: drip }]);
  const events = [await recordEvent(), await recordEvent()];
  const startedAt = performance.now();
  const outcomes = await Promise.all(events.map(deliver));
  const tookMs = performance.now() - startedAt;
  expect(outcomes).toEqual(['retrying', 'retrying']);
  expect(tookMs).toBeGreaterThan(9_500);
  expect(tookMs).toBeLessThan(13_000);
  for (const event of events)
    expect((await stored(event)).attempts).toMatchObject([
      { status: null, error: 'No response within 10 seconds.' },
    ]);
});

test('stores at most 1 kB of the response, whatever its bytes are', async () => {
  receiver.answer({
    respond: (_, response) => response.writeHead(500).end(Buffer.alloc(200_000, 'a\0\xff', 'latin1')),
  });
  const event = await recordEvent();
  expect(await deliver(event)).toBe('retrying');
  const [attempt] = (await stored(event)).attempts;
  expect(attempt?.responseSnippet?.length).toBeGreaterThan(500);
  expect(attempt?.responseSnippet?.length).toBeLessThanOrEqual(1024);
});

test('after a rotation both secrets sign for 24 hours, then only the new one', async () => {
  const newer = newWebhookSecret();
  await db.consumer.update({
    where: { id: consumerId },
    data: {
      webhookSecretSealed: secrets.seal('webhook-secret', newer),
      previousSecretSealed: secrets.seal('webhook-secret', secret),
      previousSecretUntil: new Date(now.getTime() + PREVIOUS_SECRET_MS),
    },
  });
  const during = await recordEvent();
  await deliver(during);
  now = new Date(now.getTime() + PREVIOUS_SECRET_MS);
  const after = await recordEvent();
  await deliver(after);
  const [first, second] = receiver.deliveries;
  expect(first?.signatureValid).toBe(true);
  expect(String(first?.headers['x-clarion-signature']).match(/v1=/g)).toHaveLength(2);
  for (const key of [newer, secret]) {
    const headers = first?.headers as Record<string, string>;
    expect(new Webhook(key).verify(during.body, headers)).toBeTruthy();
  }
  expect(second?.signatureValid).toBe(false); // the receiver still knows only the old secret
  expect(String(second?.headers['x-clarion-signature']).match(/v1=/g)).toHaveLength(1);
});

test('an event of a webhook that was removed is discarded', async () => {
  const event = await recordEvent();
  await db.consumer.update({ where: { id: consumerId }, data: { webhookUrl: null } });
  expect(await deliver(event)).toBe('discarded');
  expect(await stored(event)).toMatchObject({ status: 'DISCARDED', nextAttemptAt: null, attempts: [] });
  expect(receiver.connections()).toBe(0);
});

test('an event that is deleted with its call while it is being sent leaves nothing behind', async () => {
  const event = await recordEvent();
  receiver.answer({
    respond: (_, response) => {
      void db.event.delete({ where: { id: event.id } }).then(() => response.writeHead(500).end());
    },
  });
  expect(await deliver(event)).toBe('skipped');
  expect(await deliver(event)).toBe('skipped');
  expect(await db.event.count({ where: { eventId: event.eventId } })).toBe(0);
  expect(await db.eventAttempt.count({ where: { eventRowId: event.id } })).toBe(0);
});

test('deleting events, alone or with their account, deletes their deliveries and attempts and no others', async () => {
  receiver.answer(500);
  const [kept, deleted] = [await recordEvent(), await recordEvent()];
  for (const event of [kept, deleted]) await deliver(event);
  const rowsOf = async ({ id }: Event) => [
    await db.eventDelivery.count({ where: { eventRowId: id } }),
    await db.eventAttempt.count({ where: { eventRowId: id } }),
  ];
  await db.event.delete({ where: { id: deleted.id } });
  expect([await rowsOf(kept), await rowsOf(deleted)]).toEqual([
    [1, 1],
    [0, 0],
  ]);
  await db.consumer.delete({ where: { id: consumerId } });
  expect(await rowsOf(kept)).toEqual([0, 0]);
});

test('an event that is deleted while its attempt is being recorded leaves nothing behind', async () => {
  const event = await recordEvent();
  const recording = await sql.connect();
  try {
    const { due } = await claimDeliveries(sql, 'w', ANY);
    const made = due
      .filter(({ rowId }) => rowId === String(event.id))
      .map((each) => ({ due: each, attempt }));
    await recording.query('begin');
    const [recorded] = await recordAttempts(recording, made);
    expect(recorded).toMatchObject({ outcome: 'retrying' });
    const deleted = db.event.delete({ where: { id: event.id } }).then(() => undefined);
    await waitsForLock();
    await recording.query('commit');
    await deleted;
  } finally {
    recording.release();
  }
  expect(await db.eventAttempt.count({ where: { eventRowId: event.id } })).toBe(0);
  expect(await db.eventDelivery.count({ where: { eventRowId: event.id } })).toBe(0);
});

test('an attempt that runs twice concurrently has exactly one successor', async () => {
  const held: ServerResponse[] = [];
  receiver.answer({
    respond(_, response) {
      if (held.push(response) === 6) for (const each of held) each.writeHead(500).end();
    },
  });
  const event = await recordEvent();
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => deliver(event)));
  expect(outcomes.filter((outcome) => outcome === 'retrying')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 'superseded')).toHaveLength(5);
  const { attemptCount, attempts } = await stored(event);
  expect(attemptCount).toBe(1);
  expect(attempts).toHaveLength(6);
});

test('a redelivery that is requested during an attempt is made', async () => {
  const event = await recordEvent();
  receiver.answer({
    respond: (_, response) => {
      void enqueueDelivery(db, event).then(() => response.writeHead(200).end());
    },
  });
  expect(await deliver(event)).toBe('superseded');
  expect((await stored(event)).status).toBe('PENDING');
  receiver.answer(200);
  expect(await deliver(event)).toBe('delivered');
});

test('a redelivery that is requested while the last attempt is being recorded is made', async () => {
  await db.eventDelivery.deleteMany();
  const event = await recordEvent();
  await db.eventDelivery.updateMany({ data: { attemptCount: 11 } });
  const [due] = (await claimDeliveries(sql, 'w', ANY)).due;
  if (!due) throw new Error('not claimed');
  const recording = await sql.connect();
  try {
    await recording.query('begin');
    expect(await recordAttempts(recording, [{ due, attempt }])).toMatchObject([{ outcome: 'failed' }]);
    const requested = db.$transaction((tx) => enqueueDelivery(tx, event));
    await waitsForLock();
    await recording.query('commit');
    await requested;
  } finally {
    recording.release();
  }
  expect(await stored(event)).toMatchObject({ status: 'PENDING', attemptCount: 0 });
  expect(await deliver(event)).toBe('delivered');
  expect(await stored(event)).toMatchObject({ status: 'DELIVERED' });
});

test('without the development exception no private address is reached', async () => {
  const guarded = createEgress({ allowPrivate: false });
  const event = await recordEvent();
  await db.consumer.update({
    where: { id: consumerId },
    data: { webhookUrl: receiver.url.replace('http:', 'https:') },
  });
  const context = { db, sql, secrets, egress: guarded, log, now: () => now };
  expect(await deliverNow(context, event)).toBe('retrying');
  expect((await stored(event)).attempts).toMatchObject([{ error: 'The IP address is not public.' }]);
  expect(receiver.connections()).toBe(0);
  await guarded.close();
});

test('an event is claimed again however often its worker died', async () => {
  const event = await recordEvent();
  for (let death = 0; death < 30; death += 1) {
    const { due } = await claimDeliveries(sql, `dead-${death}`, {
      count: 1_000,
      fullConsumers: [],
      room: new Map([[consumerId, 10]]),
      roomOfOthers: 10,
    });
    expect(due.map(({ eventId }) => eventId)).toContain(event.eventId);
    await db.eventDelivery.updateMany({ data: { claimedBy: null, claimedAt: null } });
  }
});

test('of two runs the first to be recorded decides: a success is final, although its worker was considered dead', async () => {
  await db.eventDelivery.deleteMany();
  const event = await recordEvent();
  const [late] = (await claimDeliveries(sql, 'late', ANY)).due;
  await db.eventDelivery.updateMany({ data: { claimedBy: null, claimedAt: null } });
  const [quick] = (await claimDeliveries(sql, 'quick', ANY)).due;
  if (!late || !quick) throw new Error('not claimed');
  const success = { ...attempt, status: 200, error: null };
  expect(await recordAttempts(sql, [{ due: late, attempt: success }])).toMatchObject([
    { outcome: 'delivered' },
  ]);
  expect(await recordAttempts(sql, [{ due: quick, attempt }])).toMatchObject([{ outcome: 'superseded' }]);
  expect(await stored(event)).toMatchObject({
    status: 'DELIVERED',
    attempts: [{ status: 200 }, { status: 500 }],
  });
});

test('a late run does not end a delivery that was rescheduled and claimed again meanwhile', async () => {
  const unlocked = () =>
    db.$executeRaw`update "EventDelivery" set "claimedBy" = null, "claimedAt" = null, "dueAt" = date_trunc('milliseconds', now())`;
  const claim = async () =>
    (await claimDeliveries(sql, 'w', ANY)).due.find(({ eventId }) => eventId === event.eventId);
  await db.eventDelivery.deleteMany();
  const event = await recordEvent();
  const late = await claim();
  await unlocked(); // its worker was considered dead
  const quick = await claim();
  if (!late || !quick) throw new Error('not claimed');
  expect(await recordAttempts(sql, [{ due: quick, attempt }])).toMatchObject([{ outcome: 'retrying' }]);
  await unlocked(); // the retry is due
  const retry = await claim();
  if (!retry) throw new Error('not claimed');
  expect(await recordAttempts(sql, [{ due: late, attempt }])).toMatchObject([{ outcome: 'superseded' }]);
  expect(await recordAttempts(sql, [{ due: retry, attempt }])).toMatchObject([{ outcome: 'retrying' }]);
  expect(await stored(event)).toMatchObject({ status: 'PENDING', attemptCount: 2 });
});
