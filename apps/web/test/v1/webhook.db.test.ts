import { signingSecrets } from '@clarion/core/event/signature';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

/** Settings as in production: private addresses are refused. */
let web: Web;
let key: string;
let consumerId: number;
let count = 0;

beforeAll(async () => {
  web = await startWeb();
});
afterAll(() => web.stop());

/** Each test has its own consumer. */
async function newConsumer(): Promise<void> {
  const created = await web.consumer(`webhook-${(count += 1)}`);
  key = created.apiKey;
  consumerId = created.consumer.id;
}
const stored = () => web.runtime.db.consumer.findUniqueOrThrow({ where: { id: consumerId } });
const put = (body: unknown) => call('putWebhook', { key, body });

test('only the first PUT with a URL returns the secret', async () => {
  await newConsumer();
  expect((await put({})).json).toEqual({
    webhook: { url: null, lookupUrl: null, eventTypes: null, secretSet: false },
  });
  const first = await put({ url: ' https://hooks.acme.example/in ' });
  expect(first.json).toEqual({
    webhook: { url: 'https://hooks.acme.example/in', lookupUrl: null, eventTypes: null, secretSet: true },
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
  });
  expect((await put({ url: 'https://hooks.acme.example/other' })).json).not.toHaveProperty('secret');
  const { webhookSecretSealed } = await stored();
  expect(webhookSecretSealed).not.toContain(first.json.secret);
  expect(web.runtime.secrets.open('webhook-secret', webhookSecretSealed ?? '')).toBe(first.json.secret);
});

test('two concurrent first PUTs issue one secret', async () => {
  await newConsumer();
  const answers = await Promise.all([1, 2, 3, 4].map((n) => put({ url: `https://acme.example/${n}` })));
  const secrets = answers.flatMap(({ json }) => json.secret ?? []);
  expect(secrets).toHaveLength(1);
  expect(web.runtime.secrets.open('webhook-secret', (await stored()).webhookSecretSealed ?? '')).toBe(
    secrets[0],
  );
});

test('PUT replaces all settings: omitted ones are removed, but the secret is kept', async () => {
  await newConsumer();
  const full = {
    url: 'https://acme.example/in',
    lookup_url: 'https://acme.example/lookup',
    event_types: ['call.ended', 'CALL.CREATED', 'call.ended'],
  };
  expect((await put(full)).json.webhook).toEqual({
    url: full.url,
    lookupUrl: full.lookup_url,
    eventTypes: ['call.ended', 'call.created'],
    secretSet: true,
  });
  expect((await put({ url: full.url, event_types: [] })).json.webhook).toEqual({
    url: full.url,
    lookupUrl: null,
    eventTypes: [],
    secretSet: true,
  });
  const cleared = { url: null, lookupUrl: null, eventTypes: null, secretSet: true };
  expect((await put({ url: null, event_types: null, lookup_url: ' ' })).json.webhook).toEqual(cleared);
  expect((await call('getWebhook', { key })).json).toEqual({ webhook: cleared });
});

test.each([
  [{ event_types: ['call.ended', 'call.vanished'] }, 'event_types[1]'],
  [{ event_types: ['call.ended', null] }, 'event_types[1]'],
  [{ event_types: 'call.ended' }, 'event_types'],
  [{ url: 'http://acme.example/in' }, 'url'],
  [{ url: 'acme.example' }, 'url'],
  [{ url: 7 }, 'url'],
  [{ url: 'https://user:password@acme.example/' }, 'url'],
  [{ url: 'https://127.0.0.1/' }, 'url'],
  [{ url: 'https://2130706433/' }, 'url'],
  [{ url: 'https://[::ffff:10.0.0.1]/' }, 'url'],
  [{ url: 'https://169.254.169.254/latest/meta-data' }, 'url'],
  [{ url: 'https://acme.example', lookup_url: 'https://10.1.2.3/' }, 'lookup_url'],
])('%j is 400 on %s and changes nothing', async (body, field) => {
  await newConsumer();
  expectError(await put(body), 400, 'invalid_request', field);
  expect((await call('getWebhook', { key })).json.webhook.url).toBeNull();
});

test('a URL of 2048 characters is accepted, and a longer one is 400', async () => {
  await newConsumer();
  const longest = 'https://acme.example/'.padEnd(2048, 'x');
  expect((await put({ url: longest })).json.webhook.url).toBe(longest);
  expectError(await put({ url: `${longest}x` }), 400, 'invalid_request', 'url');
});

test('a rotation shows the new secret once; the old one also signs for 24 hours', async () => {
  await newConsumer();
  const first = (await put({ url: 'https://acme.example/in' })).json.secret;
  const rotated = await call('rotateWebhookSecret', { key });
  expect(rotated.json.secret).toMatch(/^whsec_/);
  expect(rotated.json.secret).not.toBe(first);
  expect(rotated.json.webhook.secretSet).toBe(true);
  const signing = async (hoursLater: number) =>
    signingSecrets(await stored(), new Date(Date.now() + hoursLater * 3_600_000)).map((sealed) =>
      web.runtime.secrets.open('webhook-secret', sealed),
    );
  expect(await signing(0)).toEqual([rotated.json.secret, first]);
  expect(await signing(23.9)).toEqual([rotated.json.secret, first]);
  expect(await signing(24.1)).toEqual([rotated.json.secret]);
  const again = await call('rotateWebhookSecret', { key });
  expect(await signing(0)).toEqual([again.json.secret, rotated.json.secret]);
  expect((await call('getWebhook', { key })).text).not.toContain('whsec_');
});

test('a rotation is never replayed, also under an Idempotency-Key', async () => {
  await newConsumer();
  const headers = { 'idempotency-key': 'rotate-1' };
  const first = await call('rotateWebhookSecret', { key, headers });
  const second = await call('rotateWebhookSecret', { key, headers });
  expect(second.json.secret).not.toBe(first.json.secret);
  expect(second.headers.get('idempotent-replayed')).toBeNull();
});

test('every change is audited, without secrets', async () => {
  await newConsumer();
  const { secret } = (await put({ url: 'https://acme.example/in?token=t0p' })).json;
  await call('rotateWebhookSecret', { key });
  const entries = await web.runtime.db.auditEntry.findMany({
    where: { consumerId, action: { startsWith: 'webhook.' } },
    orderBy: { id: 'asc' },
  });
  expect(entries).toMatchObject([
    { action: 'webhook.put', actorKind: 'apiKey', details: { host: 'acme.example', lookupHost: null } },
    { action: 'webhook.rotate_secret', actorKind: 'apiKey' },
  ]);
  const text = JSON.stringify(entries, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  expect(text).not.toContain('whsec_');
  expect(text).not.toContain('t0p');
  expect(text).not.toContain(secret);
});

test('without a key it is 401', async () => {
  for (const name of ['putWebhook', 'getWebhook', 'rotateWebhookSecret'] as const)
    expectError(await call(name, { key: null }), 401, 'unauthorized');
});

test('a test event is recorded and queued regardless of the selected types; without a URL it is 409', async () => {
  await newConsumer();
  expectError(await call('testWebhook', { key }), 409, 'invalid_state');
  await put({ url: 'https://acme.example/in', event_types: [] });
  const { json } = await call('testWebhook', { key });
  expect(json.event).toMatchObject({ eventType: 'webhook.test', status: 'PENDING', tenantRef: null });
  const { eventId } = json.event;
  const { json: one } = await call('getEvent', { key, path: { eventId } });
  expect(one.event).toEqual(json.event);
  expect(JSON.parse(one.body)).toEqual({
    event_id: eventId,
    event_type: 'webhook.test',
    data: { test: { sentBy: null } },
    occurred_at: json.event.occurredAt,
    tenant_ref: null,
    api_version: '1',
    sequence: null,
  });
  const other = await web.consumer(`webhook-other-${(count += 1)}`);
  expectError(await call('getEvent', { key: other.apiKey, path: { eventId } }), 404, 'not_found');
  expect(await web.runtime.db.auditEntry.count({ where: { consumerId, action: 'webhook.test' } })).toBe(1);
});
