/** One delivery at a time: what is sent, what counts as a failure, and when it is repeated. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Event } from '@clarion/db';
import { startWebhookReceiver } from '@clarion/testkit/peers/webhook-receiver';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createEgress } from '../egress/guard.ts';
import { DeliveryScene } from './__fixtures__/delivery-scene.ts';
import { newWebhookSecret, PREVIOUS_SECRET_MS } from './signature.ts';

let scene: DeliveryScene;

beforeAll(async () => {
  scene = await DeliveryScene.open();
});
afterAll(() => scene.close());
beforeEach(() => scene.newAccount());
afterEach(() => scene.receiver.close());

test('delivers the stored bytes with both signatures, and records it', async () => {
  const event = await scene.recordEvent();
  expect(await scene.deliver(event)).toBe('delivered');
  const [delivery] = scene.receiver.deliveries;
  expect(delivery?.body).toBe(event.body);
  expect(delivery?.signatureValid).toBe(true);
  expect(delivery?.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': event.eventId,
    'x-clarion-signature': expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
  });
  const verified = new Webhook(scene.secret).verify(event.body, delivery?.headers as Record<string, string>);
  expect(verified).toEqual(JSON.parse(event.body));
  expect(await scene.stored(event)).toMatchObject({
    status: 'DELIVERED',
    nextAttemptAt: null,
    attempts: [{ status: 200, error: null }],
  });
});

test('a delivered event is not sent again by a job that is run twice', async () => {
  const event = await scene.recordEvent();
  await scene.deliver(event);
  expect(await scene.deliver(event)).toBe('skipped');
  expect(scene.receiver.deliveries).toHaveLength(1);
});

test('follows the whole schedule and fails after the 12th attempt', async () => {
  scene.receiver.answer({ status: 503, body: 'no' });
  const event = await scene.recordEvent();
  const delays: number[] = [];
  for (let attempt = 1; attempt <= 11; attempt += 1) {
    expect(await scene.deliver(event)).toBe('retrying');
    const { nextAttemptAt, attemptCount, status } = await scene.stored(event);
    expect({ status, attemptCount }).toEqual({ status: 'PENDING', attemptCount: attempt });
    if (!nextAttemptAt) throw new Error('no next attempt');
    delays.push((nextAttemptAt.getTime() - scene.now.getTime()) / 1000);
    scene.now = nextAttemptAt;
  }
  expect(delays).toEqual([5, 15, 60, 300, 900, 1800, 3600, 3600, 3600, 3600, 3600]);
  expect(await scene.deliver(event)).toBe('failed');
  const { status, nextAttemptAt, attempts } = await scene.stored(event);
  expect({ status, nextAttemptAt }).toEqual({ status: 'FAILED', nextAttemptAt: null });
  expect(attempts).toHaveLength(12);
  expect(attempts[0]).toMatchObject({
    status: 503,
    responseSnippet: 'no',
    error: 'The endpoint returned 503.',
  });
  expect(await scene.deliver(event)).toBe('skipped');
  expect(new Set(scene.receiver.deliveries.map(({ body }) => body))).toEqual(new Set([event.body]));
});

test('a redirect is a failure and is not followed', async () => {
  const elsewhere = await startWebhookReceiver();
  scene.receiver.answer({ status: 307, headers: { location: elsewhere.url } });
  const event = await scene.recordEvent();
  expect(await scene.deliver(event)).toBe('retrying');
  expect((await scene.stored(event)).attempts).toMatchObject([{ status: 307 }]);
  expect(elsewhere.connections()).toBe(0);
  await elsewhere.close();
});

test.each([
  ['close', 'The connection was closed before the response was complete.'],
  ['close-mid-body', 'The connection was closed before the response was complete.'],
] as const)('an incomplete response (%s) is a failure', async (answer, error) => {
  scene.receiver.answer(answer);
  const event = await scene.recordEvent();
  expect(await scene.deliver(event)).toBe('retrying');
  expect((await scene.stored(event)).attempts).toMatchObject([{ status: null, error }]);
});

test('a refused connection is a failure with a message', async () => {
  await scene.receiver.close();
  const event = await scene.recordEvent();
  expect(await scene.deliver(event)).toBe('retrying');
  expect((await scene.stored(event)).attempts).toMatchObject([
    { status: null, error: 'The connection was refused.' },
  ]);
  scene.receiver = await startWebhookReceiver();
});

test('an endpoint that does not respond, or responds too slowly, times out after 10 seconds', async () => {
  const drip = (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 500);
    response.on('close', () => clearInterval(timer));
  };
  scene.receiver.answer('hang', [{ respond: drip }]);
  const events = [await scene.recordEvent(), await scene.recordEvent()];
  const startedAt = performance.now();
  const outcomes = await Promise.all(events.map((event) => scene.deliver(event)));
  const tookMs = performance.now() - startedAt;
  expect(outcomes).toEqual(['retrying', 'retrying']);
  expect(tookMs).toBeGreaterThan(9_500);
  expect(tookMs).toBeLessThan(13_000);
  for (const event of events)
    expect((await scene.stored(event)).attempts).toMatchObject([
      { status: null, error: 'No response within 10 seconds.' },
    ]);
});

test('stores at most 1 kB of the response, whatever its bytes are', async () => {
  scene.receiver.answer({
    respond: (_, response) => response.writeHead(500).end(Buffer.alloc(200_000, 'a\0\xff', 'latin1')),
  });
  const event = await scene.recordEvent();
  expect(await scene.deliver(event)).toBe('retrying');
  const [attempt] = (await scene.stored(event)).attempts;
  expect(attempt?.responseSnippet?.length).toBeGreaterThan(500);
  expect(attempt?.responseSnippet?.length).toBeLessThanOrEqual(1024);
});

test('after a rotation both secrets sign for 24 hours, then only the new one', async () => {
  const newer = newWebhookSecret();
  await scene.db.consumer.update({
    where: { id: scene.consumerId },
    data: {
      webhookSecretSealed: scene.secrets.seal('webhook-secret', newer),
      previousSecretSealed: scene.secrets.seal('webhook-secret', scene.secret),
      previousSecretUntil: new Date(scene.now.getTime() + PREVIOUS_SECRET_MS),
    },
  });
  const during = await scene.recordEvent();
  await scene.deliver(during);
  scene.now = new Date(scene.now.getTime() + PREVIOUS_SECRET_MS);
  const after = await scene.recordEvent();
  await scene.deliver(after);
  const [first, second] = scene.receiver.deliveries;
  expect(first?.signatureValid).toBe(true);
  expect(String(first?.headers['x-clarion-signature']).match(/v1=/g)).toHaveLength(2);
  for (const key of [newer, scene.secret]) {
    const headers = first?.headers as Record<string, string>;
    expect(new Webhook(key).verify(during.body, headers)).toBeTruthy();
  }
  expect(second?.signatureValid).toBe(false); // the scene.receiver still knows only the old secret
  expect(String(second?.headers['x-clarion-signature']).match(/v1=/g)).toHaveLength(1);
});

test('an event of a webhook that was removed is discarded', async () => {
  const event = await scene.recordEvent();
  await scene.db.consumer.update({ where: { id: scene.consumerId }, data: { webhookUrl: null } });
  expect(await scene.deliver(event)).toBe('discarded');
  expect(await scene.stored(event)).toMatchObject({ status: 'DISCARDED', nextAttemptAt: null, attempts: [] });
  expect(scene.receiver.connections()).toBe(0);
});

test('deleting events, alone or with their account, deletes their deliveries and attempts and no others', async () => {
  scene.receiver.answer(500);
  const [kept, deleted] = [await scene.recordEvent(), await scene.recordEvent()];
  for (const event of [kept, deleted]) await scene.deliver(event);
  const rowsOf = async ({ id }: Event) => [
    await scene.db.eventDelivery.count({ where: { eventRowId: id } }),
    await scene.db.eventAttempt.count({ where: { eventRowId: id } }),
  ];
  await scene.db.event.delete({ where: { id: deleted.id } });
  expect([await rowsOf(kept), await rowsOf(deleted)]).toEqual([
    [1, 1],
    [0, 0],
  ]);
  await scene.db.consumer.delete({ where: { id: scene.consumerId } });
  expect(await rowsOf(kept)).toEqual([0, 0]);
});

test('without the development exception no private address is reached', async () => {
  const guarded = createEgress({ allowPrivate: false });
  const event = await scene.recordEvent();
  await scene.db.consumer.update({
    where: { id: scene.consumerId },
    data: { webhookUrl: scene.receiver.url.replace('http:', 'https:') },
  });
  expect(await scene.deliver(event, guarded)).toBe('retrying');
  expect((await scene.stored(event)).attempts).toMatchObject([{ error: 'The IP address is not public.' }]);
  expect(scene.receiver.connections()).toBe(0);
  await guarded.close();
});
