import { randomUUID } from 'node:crypto';
import { createEgress } from '@clarion/core/egress/guard';
import { billingEventTypes } from '@clarion/protocol';
import type { EventType } from '@clarion/protocol';
import type { EventStatus } from '@clarion/protocol/v1/account/events';
import { createPool } from '@clarion/db';
import type { SqlPool } from '@clarion/db';
import { deliverNow } from '@clarion/testkit/load/deliver-now';
import { startWebhookReceiver } from '@clarion/testkit/peers/webhook-receiver';
import type { WebhookReceiver } from '@clarion/testkit/peers/webhook-receiver';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { staffSession } from '../dashboard.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

let web: Web;
let sql: SqlPool;
let receiver: WebhookReceiver;
let key: string;
let consumerId: number;
let tenantId: number;
let count = 0;

beforeAll(async () => {
  web = await startWeb({ CLARION_PRODUCTION: '0', CLARION_ALLOW_PRIVATE_EGRESS: '1' });
  sql = createPool(web.runtime.env.DATABASE_URL, { connections: 2, onError: () => undefined });
  receiver = await startWebhookReceiver();
});
afterAll(async () => {
  await receiver.close();
  await sql.end();
  await web.stop();
});

beforeEach(async () => {
  const created = await web.consumer(`events-${(count += 1)}`);
  key = created.apiKey;
  consumerId = created.consumer.id;
  await call('putTenant', { key, path: { tenantRef: 'acme' }, body: { name: 'Acme' } });
  const tenant = await web.runtime.db.tenant.findFirstOrThrow({ where: { consumerId } });
  tenantId = tenant.id;
  receiver.deliveries.length = 0;
  receiver.answer(200);
  const { json } = await call('putWebhook', { key, body: { url: receiver.url } });
  receiver.secrets = json.secret ? [json.secret] : [];
});

interface Recorded {
  type?: EventType;
  status?: EventStatus;
  occurredAt?: Date;
  ofTenant?: boolean;
  callId?: number;
}

/** An event as record-event leaves it. Resolves with its event_id. */
async function recordEvent(recorded: Recorded = {}): Promise<string> {
  const { type = 'call.ended', status = 'PENDING', occurredAt = new Date(), ofTenant = true } = recorded;
  const eventId = randomUUID();
  const body = JSON.stringify({
    event_id: eventId,
    event_type: type,
    data: {},
    occurred_at: occurredAt.toISOString(),
    tenant_ref: ofTenant ? 'acme' : null,
    api_version: '1',
    sequence: null,
  });
  await web.runtime.db.event.create({
    data: {
      eventId,
      consumerId,
      type,
      undelivered: status === 'FAILED' || status === 'DISCARDED' ? status : null,
      body,
      occurredAt,
      callId: recorded.callId ?? null,
      ...(ofTenant && { tenantId, tenantRef: 'acme' }),
      ...(status === 'PENDING' && { delivery: { create: { consumerId, dueAt: occurredAt } } }),
    },
  });
  return eventId;
}

const deliveriesOf = (id: bigint) => web.runtime.db.eventDelivery.findMany({ where: { eventRowId: id } });

const listed = async (query: string): Promise<string[]> =>
  (await call('listEvents', { key, query })).json.events.map(({ eventId }) => eventId);

test("lists events newest first with the endpoint's response", async () => {
  const older = await recordEvent();
  const newer = await recordEvent();
  receiver.answer({ status: 500, body: 'out of order' });
  const egress = createEgress({ allowPrivate: true });
  const { db, secrets, log, now } = web.runtime;
  expect(await deliverNow({ db, sql, secrets, egress, log, now }, { eventId: older, consumerId })).toBe(
    'retrying',
  );
  await egress.close();
  const { json } = await call('listEvents', { key });
  expect(json.events.map(({ eventId }) => eventId)).toEqual([newer, older]);
  expect(json.events[1]).toMatchObject({
    eventType: 'call.ended',
    tenantRef: 'acme',
    callId: null,
    status: 'PENDING',
    attempts: [{ status: 500, error: 'The endpoint returned 500.', responseSnippet: 'out of order' }],
  });
  const { at = '', durationMs = 0 } = json.events[1]?.attempts[0] ?? {};
  const wait = Date.parse(json.events[1]?.nextAttemptAt ?? '') - Date.parse(at) - durationMs;
  expect(wait).toBeGreaterThanOrEqual(5_000);
  expect(wait).toBeLessThan(5_500);
});

test('filters by type, tenant, status and time, alone and together', async () => {
  const at = (hour: number) => new Date(Date.UTC(2026, 0, 5, hour));
  const created = await recordEvent({ type: 'call.created', occurredAt: at(9), status: 'DELIVERED' });
  const ended = await recordEvent({ occurredAt: at(10), status: 'FAILED' });
  const ofAccount = await recordEvent({
    type: 'sip_trunk.status_changed',
    ofTenant: false,
    occurredAt: at(11),
  });
  expect(await listed('')).toEqual([ofAccount, ended, created]);
  expect(await listed('type=call.created')).toEqual([created]);
  expect(await listed('type=CALL.ENDED')).toEqual([ended]);
  expect(await listed('tenant_ref=acme')).toEqual([ended, created]);
  expect(await listed('status=failed')).toEqual([ended]);
  expect(await listed('status=PENDING')).toEqual([ofAccount]);
  expect(await listed('status=DELIVERED')).toEqual([created]);
  expect(await listed('status=DISCARDED')).toEqual([]);
  expect(await listed('from=2026-01-05T10:00:00Z')).toEqual([ofAccount, ended]);
  expect(await listed('to=2026-01-05T10:00:00Z')).toEqual([created]);
  expect(await listed('from=2026-01-05T10:00:00Z&to=2026-01-05T11:00:00%2B00:00&status=FAILED')).toEqual([
    ended,
  ]);
  expect(await listed('call_id=999999')).toEqual([]);
  expect(await listed('unknown=ignored&limit=1')).toEqual([ofAccount]);
});

test('pages back through every event once', async () => {
  const recorded: string[] = [];
  for (let n = 0; n < 7; n += 1) recorded.unshift(await recordEvent());
  const seen: string[] = [];
  let query = 'limit=3';
  for (;;) {
    const { json } = await call('listEvents', { key, query });
    if (json.nextBeforeId === null) {
      expect(json.events).toEqual([]);
      break;
    }
    seen.push(...json.events.map(({ eventId }) => eventId));
    query = `limit=3&before_id=${json.nextBeforeId}`;
  }
  expect(seen).toEqual(recorded);
});

test.each([
  ['type=call.vanished', 'type'],
  ['status=LOST', 'status'],
  ['limit=0', 'limit'],
  ['limit=201', 'limit'],
  ['limit=ten', 'limit'],
  ['before_id=x', 'before_id'],
  ['call_id=-1', 'call_id'],
  ['from=yesterday', 'from'],
  ['to=2026-02-30', 'to'],
])('the query %s is 400 on %s', async (query, field) => {
  expectError(await call('listEvents', { key, query }), 400, 'invalid_request', field);
});

test('an unknown tenant is 404, and so is one of another consumer', async () => {
  const { apiKey: otherKey } = await web.consumer(`others-${(count += 1)}`);
  await call('putTenant', { key: otherKey, path: { tenantRef: 'theirs' }, body: { name: 'T' } });
  for (const ref of ['nobody', 'theirs'])
    expectError(await call('listEvents', { key, query: `tenant_ref=${ref}` }), 404, 'not_found');
});

test("another consumer's events are neither listed nor sent again", async () => {
  const eventId = await recordEvent();
  const { apiKey: otherKey } = await web.consumer(`others-${(count += 1)}`);
  expect((await call('listEvents', { key: otherKey })).json.events).toEqual([]);
  expectError(await call('redeliverEvent', { key: otherKey, path: { eventId } }), 404, 'not_found');
});

test('in the dashboard only an owner sees events about the billing of tenants', async () => {
  expect(billingEventTypes).toEqual(['tenant.balance_low', 'tenant.suspended']);
  const low = await recordEvent({ type: 'tenant.balance_low' });
  const suspended = await recordEvent({ type: 'tenant.suspended' });
  const ended = await recordEvent();
  const slug = `events-${count}`;
  const seenBy = async (caller: { session: string } | { key: string }) => {
    const list = async (query: string) =>
      (await call('listEvents', { ...caller, query })).json.events.map(({ eventId }) => eventId);
    const one = await call('getEvent', { ...caller, path: { eventId: low } });
    const again = await call('redeliverEvent', { ...caller, path: { eventId: suspended } });
    return {
      listed: await list(''),
      ofType: await list('type=tenant.balance_low'),
      statuses: [one.status, again.status],
    };
  };
  const everything = { listed: [ended, suspended, low], ofType: [low], statuses: [200, 202] };
  expect(await seenBy({ key })).toEqual(everything);
  expect(await seenBy({ session: (await staffSession(web, slug)).session })).toEqual(everything);
  const { session } = await staffSession(web, slug, 'ADMIN');
  expect(await seenBy({ session })).toEqual({ listed: [ended], ofType: [], statuses: [404, 404] });
});

test.each(['PENDING', 'DELIVERED', 'FAILED', 'DISCARDED'] as const)(
  'a %s event is sent again, to the URL that is set now, and its attempts are kept',
  async (status) => {
    const eventId = await recordEvent({ status });
    const { id } = await web.runtime.db.event.findUniqueOrThrow({ where: { eventId } });
    await web.runtime.db.eventAttempt.create({
      data: {
        eventRowId: id,
        at: new Date(),
        status: 500,
        durationMs: 3,
        error: 'The endpoint returned 500.',
      },
    });
    const elsewhere = await startWebhookReceiver({ secrets: receiver.secrets });
    await call('putWebhook', { key, body: { url: elsewhere.url, event_types: ['call.created'] } });
    const { json } = await call('redeliverEvent', { key, path: { eventId: eventId.toUpperCase() } });
    expect(json.event).toMatchObject({
      id: Number(id),
      eventId,
      status: 'PENDING',
      attempts: [{ status: 500 }],
    });
    expect(json.event.nextAttemptAt).not.toBeNull();
    expect(await deliveriesOf(id)).toMatchObject([{ priority: 0, attemptCount: 0, claimedBy: null }]);

    const egress = createEgress({ allowPrivate: true });
    const { db, secrets, log, now } = web.runtime;
    expect(await deliverNow({ db, sql, secrets, egress, log, now }, { eventId, consumerId })).toBe(
      'delivered',
    );
    await egress.close();
    expect(elsewhere.deliveries).toMatchObject([{ event: { event_id: eventId }, signatureValid: true }]);
    expect(receiver.deliveries).toEqual([]);
    await elsewhere.close();
    const [listedAgain] = (await call('listEvents', { key })).json.events;
    expect(listedAgain).toMatchObject({ status: 'DELIVERED', attempts: [{ status: 500 }, { status: 200 }] });
  },
);

test('many concurrent requests for a redelivery enqueue one delivery', async () => {
  const eventId = await recordEvent({ status: 'FAILED' });
  await Promise.all(Array.from({ length: 5 }, () => call('redeliverEvent', { key, path: { eventId } })));
  const { id } = await web.runtime.db.event.findUniqueOrThrow({ where: { eventId } });
  expect(await deliveriesOf(id)).toHaveLength(1);
});

test('a redelivery of an unknown event is 404, without a URL it is 409', async () => {
  for (const eventId of [randomUUID(), 'not-a-uuid', '1'])
    expectError(await call('redeliverEvent', { key, path: { eventId } }), 404, 'not_found');
  const eventId = await recordEvent({ status: 'DISCARDED' });
  await call('putWebhook', { key, body: {} });
  expectError(await call('redeliverEvent', { key, path: { eventId } }), 409, 'invalid_state');
});

test('a redelivery is audited', async () => {
  const eventId = await recordEvent();
  await call('redeliverEvent', { key, path: { eventId } });
  const entry = await web.runtime.db.auditEntry.findFirst({
    where: { consumerId, action: 'event.redeliver' },
  });
  expect(entry).toMatchObject({ actorKind: 'apiKey', target: `event ${eventId}` });
});

test('without a key it is 401', async () => {
  expectError(await call('listEvents', { key: null }), 401, 'unauthorized');
  expectError(
    await call('redeliverEvent', { key: null, path: { eventId: randomUUID() } }),
    401,
    'unauthorized',
  );
});
