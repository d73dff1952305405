/** Deliveries that something else overtakes: a deletion, a redelivery, or another worker that has the same event. */
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ANY, DeliveryScene, failedAttempt } from './__fixtures__/delivery-scene.ts';
import { claimDeliveries } from './claim-deliveries.ts';
import { enqueueDelivery } from './enqueue-delivery.ts';
import { recordAttempts } from './record-attempts.ts';

let scene: DeliveryScene;

beforeAll(async () => {
  scene = await DeliveryScene.open();
});
afterAll(() => scene.close());
beforeEach(() => scene.newAccount());
afterEach(() => scene.receiver.close());

test('an event that is deleted with its call while it is being sent leaves nothing behind', async () => {
  const event = await scene.recordEvent();
  scene.receiver.answer({
    respond: (_, response) => {
      void scene.db.event.delete({ where: { id: event.id } }).then(() => response.writeHead(500).end());
    },
  });
  expect(await scene.deliver(event)).toBe('skipped');
  expect(await scene.deliver(event)).toBe('skipped');
  expect(await scene.db.event.count({ where: { eventId: event.eventId } })).toBe(0);
  expect(await scene.db.eventAttempt.count({ where: { eventRowId: event.id } })).toBe(0);
});

test('an event that is deleted while its attempt is being recorded leaves nothing behind', async () => {
  const event = await scene.recordEvent();
  const recording = await scene.sql.connect();
  try {
    const { due } = await claimDeliveries(scene.sql, 'w', ANY);
    const made = due
      .filter(({ rowId }) => rowId === String(event.id))
      .map((each) => ({ due: each, attempt: failedAttempt }));
    await recording.query('begin');
    const [recorded] = await recordAttempts(recording, made);
    expect(recorded).toMatchObject({ outcome: 'retrying' });
    const deleted = scene.db.event.delete({ where: { id: event.id } }).then(() => undefined);
    await scene.waitsForLock();
    await recording.query('commit');
    await deleted;
  } finally {
    recording.release();
  }
  expect(await scene.db.eventAttempt.count({ where: { eventRowId: event.id } })).toBe(0);
  expect(await scene.db.eventDelivery.count({ where: { eventRowId: event.id } })).toBe(0);
});

test('an attempt that runs twice concurrently has exactly one successor', async () => {
  const held: ServerResponse[] = [];
  scene.receiver.answer({
    respond(_, response) {
      if (held.push(response) === 6) for (const each of held) each.writeHead(500).end();
    },
  });
  const event = await scene.recordEvent();
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => scene.deliver(event)));
  expect(outcomes.filter((outcome) => outcome === 'retrying')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 'superseded')).toHaveLength(5);
  const { attemptCount, attempts } = await scene.stored(event);
  expect(attemptCount).toBe(1);
  expect(attempts).toHaveLength(6);
});

test('a redelivery that is requested during an attempt is made', async () => {
  const event = await scene.recordEvent();
  scene.receiver.answer({
    respond: (_, response) => {
      void enqueueDelivery(scene.db, event).then(() => response.writeHead(200).end());
    },
  });
  expect(await scene.deliver(event)).toBe('superseded');
  expect((await scene.stored(event)).status).toBe('PENDING');
  scene.receiver.answer(200);
  expect(await scene.deliver(event)).toBe('delivered');
});

test('a redelivery that is requested while the last attempt is being recorded is made', async () => {
  await scene.db.eventDelivery.deleteMany();
  const event = await scene.recordEvent();
  await scene.db.eventDelivery.updateMany({ data: { attemptCount: 11 } });
  const [due] = (await claimDeliveries(scene.sql, 'w', ANY)).due;
  if (!due) throw new Error('not claimed');
  const recording = await scene.sql.connect();
  try {
    await recording.query('begin');
    expect(await recordAttempts(recording, [{ due, attempt: failedAttempt }])).toMatchObject([
      { outcome: 'failed' },
    ]);
    const requested = scene.db.$transaction((tx) => enqueueDelivery(tx, event));
    await scene.waitsForLock();
    await recording.query('commit');
    await requested;
  } finally {
    recording.release();
  }
  expect(await scene.stored(event)).toMatchObject({ status: 'PENDING', attemptCount: 0 });
  expect(await scene.deliver(event)).toBe('delivered');
  expect(await scene.stored(event)).toMatchObject({ status: 'DELIVERED' });
});

test('an event is claimed again however often its worker died', async () => {
  const event = await scene.recordEvent();
  for (let death = 0; death < 30; death += 1) {
    const { due } = await claimDeliveries(scene.sql, `dead-${death}`, {
      count: 1_000,
      fullConsumers: [],
      room: new Map([[scene.consumerId, 10]]),
      roomOfOthers: 10,
    });
    expect(due.map(({ eventId }) => eventId)).toContain(event.eventId);
    await scene.db.eventDelivery.updateMany({ data: { claimedBy: null, claimedAt: null } });
  }
});

test('of two runs the first to be recorded decides: a success is final, although its worker was considered dead', async () => {
  await scene.db.eventDelivery.deleteMany();
  const event = await scene.recordEvent();
  const [late] = (await claimDeliveries(scene.sql, 'late', ANY)).due;
  await scene.db.eventDelivery.updateMany({ data: { claimedBy: null, claimedAt: null } });
  const [quick] = (await claimDeliveries(scene.sql, 'quick', ANY)).due;
  if (!late || !quick) throw new Error('not claimed');
  const success = { ...failedAttempt, status: 200, error: null };
  expect(await recordAttempts(scene.sql, [{ due: late, attempt: success }])).toMatchObject([
    { outcome: 'delivered' },
  ]);
  expect(await recordAttempts(scene.sql, [{ due: quick, attempt: failedAttempt }])).toMatchObject([
    { outcome: 'superseded' },
  ]);
  expect(await scene.stored(event)).toMatchObject({
    status: 'DELIVERED',
    attempts: [{ status: 200 }, { status: 500 }],
  });
});

test('a late run does not end a delivery that was rescheduled and claimed again meanwhile', async () => {
  const unlocked = () =>
    scene.db
      .$executeRaw`update "EventDelivery" set "claimedBy" = null, "claimedAt" = null, "dueAt" = date_trunc('milliseconds', now())`;
  const claim = async () =>
    (await claimDeliveries(scene.sql, 'w', ANY)).due.find(({ eventId }) => eventId === event.eventId);
  await scene.db.eventDelivery.deleteMany();
  const event = await scene.recordEvent();
  const late = await claim();
  await unlocked(); // its worker was considered dead
  const quick = await claim();
  if (!late || !quick) throw new Error('not claimed');
  expect(await recordAttempts(scene.sql, [{ due: quick, attempt: failedAttempt }])).toMatchObject([
    { outcome: 'retrying' },
  ]);
  await unlocked(); // the retry is due
  const retry = await claim();
  if (!retry) throw new Error('not claimed');
  expect(await recordAttempts(scene.sql, [{ due: late, attempt: failedAttempt }])).toMatchObject([
    { outcome: 'superseded' },
  ]);
  expect(await recordAttempts(scene.sql, [{ due: retry, attempt: failedAttempt }])).toMatchObject([
    { outcome: 'retrying' },
  ]);
  expect(await scene.stored(event)).toMatchObject({ status: 'PENDING', attemptCount: 2 });
});
