import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { requestHashes } from '#lib/api/idempotency.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createWorld } from '../world.ts';
import type { World } from '../world.ts';

let web: Web;
let world: World;
const path = { tenantRef: 'shop' };
const body = { channel_ref: 'main', agent_ref: 'ada', customer: { address: '+442079460123' } };
beforeAll(async () => {
  web = await startWeb();
  world = await createWorld(web, 'acme');
});
afterAll(() => web.stop());

const create = (idempotencyKey: string, sent: unknown = body, key = world.key) =>
  call('createCall', { key, path, body: sent, headers: { 'idempotency-key': idempotencyKey } });
const calls = () => web.runtime.db.call.count();

test('a retry gets the same answer, byte for byte, and nothing is run twice', async () => {
  const first = await create('retry');
  const before = await calls();
  const second = await create('retry');
  expect(second).toMatchObject({ status: 201, text: first.text });
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  expect(await calls()).toBe(before);
});

test('fifty requests with one key at once make one call', async () => {
  const before = await calls();
  const answers = await Promise.all(Array.from({ length: 50 }, () => create('herd')));
  expect(await calls()).toBe(before + 1);
  const made = answers.filter(({ status }) => status === 201);
  expect(new Set(made.map(({ text }) => text)).size).toBe(1);
  expect(made.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    expectError(answer, 409, 'idempotency_key_in_use');
    expect(answer.headers.get('retry-after')).toBe('1');
  }
});

test('the stored answer says which call it shows, and a stored refusal none', async () => {
  const { callId } = (await create('linked')).json.call;
  await create('unlinked', { ...body, customer: { address: '911' } });
  const stored = await web.runtime.db.idempotencyKey.findMany({
    where: { key: { in: ['linked', 'unlinked'] } },
    orderBy: { key: 'asc' },
  });
  expect(stored.map((row) => row.callId)).toEqual([callId, null]);
});

test('another body is 422 also while the first request still runs', async () => {
  await create('running');
  await web.runtime.db.idempotencyKey.updateMany({
    where: { key: 'running' },
    data: { status: null, claimedAt: new Date() },
  });
  expectError(await create('running'), 409, 'idempotency_key_in_use');
  expectError(await create('running', { ...body, agent_ref: 'ben' }), 422, 'idempotency_key_reused');
});

test('what is stored of a request is of no use without the master key, and stands when that rotates', async () => {
  await create('keyed');
  const { requestHash } = await web.runtime.db.idempotencyKey.findFirstOrThrow({ where: { key: 'keyed' } });
  const request = { method: 'POST', path: '/v1/tenants/shop/calls', body: JSON.stringify(body) };
  const masters = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
  const [before = '', newer = ''] = masters;
  const hashes = [web.runtime.secrets, createSecretBox([before]), createSecretBox([newer, before])].map(
    (secrets) => requestHashes(secrets, request),
  );
  expect(hashes[0]).toEqual([requestHash]);
  expect(hashes[1]?.[0]).not.toBe(requestHash);
  expect(hashes[2]?.[1]).toBe(hashes[1]?.[0]);
});

test('a refusal is kept as well', async () => {
  const wrong = { ...body, customer: { address: '911' } };
  const first = await create('refused', wrong);
  expectError(first, 403, 'emergency_not_supported');
  const again = await create('refused', wrong);
  expect(again).toMatchObject({ status: 403, text: first.text });
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  const malformed = await create('malformed', '{"channel_ref":');
  expectError(malformed, 400, 'invalid_request');
  expect((await create('malformed', '{"channel_ref":')).headers.get('idempotent-replayed')).toBe('true');
});

test('another body, another order of fields or another path is 422; other spaces are the same', async () => {
  await create('reused', JSON.stringify(body));
  expectError(await create('reused', { ...body, agent_ref: 'ben' }), 422, 'idempotency_key_reused');
  const { customer, ...rest } = body;
  expectError(await create('reused', { customer, ...rest }), 422, 'idempotency_key_reused');
  expect((await create('reused', JSON.stringify(body, null, 4))).status).toBe(201);
  const { callId } = (await create('reused')).json.call;
  const headers = { 'idempotency-key': 'reused' };
  expectError(
    await call('terminateCall', { key: world.key, path: { callId }, headers }),
    422,
    'idempotency_key_reused',
  );
});

test('keys of 1 and 255 characters stand, an empty one and 256 are 400', async () => {
  expect((await create('k')).status).toBe(201);
  expect((await create('x'.repeat(255))).status).toBe(201);
  for (const wrong of ['', 'x'.repeat(256)]) expectError(await create(wrong), 400, 'invalid_request');
});

test('keys are per consumer', async () => {
  const other = await createWorldWithoutLine();
  await create('shared');
  expectError(await create('shared', body, other), 404, 'not_found');
});

async function createWorldWithoutLine(): Promise<string> {
  return (await web.consumer('other')).apiKey;
}

test('a key is forgotten after 24 hours', async () => {
  const start = new Date('2026-04-01T10:00:00.000Z');
  const day = 24 * 60 * 60_000;
  try {
    web.setNow(start);
    const first = await create('daily');
    web.setNow(new Date(start.getTime() + day - 1));
    expect((await create('daily')).text).toBe(first.text);
    web.setNow(new Date(start.getTime() + day));
    const fresh = await create('daily');
    expect(fresh.json.call.callId).not.toBe(first.json.call.callId);
    expect(fresh.headers.get('idempotent-replayed')).toBeNull();
  } finally {
    web.setNow(null);
  }
});

test('a key whose request never finished is in use for two minutes, then free', async () => {
  const start = new Date('2026-04-02T10:00:00.000Z');
  try {
    web.setNow(start);
    await create('stuck');
    await web.runtime.db.idempotencyKey.updateMany({ where: { key: 'stuck' }, data: { status: null } });
    web.setNow(new Date(start.getTime() + 119_999));
    expectError(await create('stuck'), 409, 'idempotency_key_in_use');
    web.setNow(new Date(start.getTime() + 120_000));
    expect((await create('stuck')).status).toBe(201);
  } finally {
    web.setNow(null);
  }
});

test('a request that fails with 5xx leaves neither change nor answer, and its retry runs', async () => {
  const { db } = web.runtime;
  const before = await calls();
  // The audit entry is written last: without its table the whole transaction fails.
  await db.$executeRaw`alter table "AuditEntry" rename to "AuditEntryAway"`;
  try {
    expectError(await create('broken'), 500, 'internal_error');
    expect(await calls()).toBe(before);
  } finally {
    await db.$executeRaw`alter table "AuditEntryAway" rename to "AuditEntry"`;
  }
  const retried = await create('broken');
  expect(retried.status).toBe(201);
  expect(retried.headers.get('idempotent-replayed')).toBeNull();
});

test('a 500 prints its request and nothing of what went wrong', async () => {
  const { db } = web.runtime;
  await db.$executeRaw`alter table "Tenant" rename to "TenantAway"`;
  try {
    const answer = await call('listTenants', { key: world.key });
    expectError(answer, 500, 'internal_error');
    expect(answer.error?.message).toContain(answer.headers.get('x-request-id') ?? 'no id');
    expect(answer.text).not.toMatch(/relation|prisma|Tenant/i);
  } finally {
    await db.$executeRaw`alter table "TenantAway" rename to "Tenant"`;
  }
});

test('terminate under a key is replayed rather than refused', async () => {
  const { callId } = (await create('to-end')).json.call;
  const end = () =>
    call('terminateCall', { key: world.key, path: { callId }, headers: { 'idempotency-key': 'end' } });
  expect((await end()).json).toEqual({ accepted: true });
  expect((await end()).json).toEqual({ accepted: true });
});

test('an answer that shows a secret is never replayed', async () => {
  const rotate = () =>
    call('rotateWebhookSecret', { key: world.key, headers: { 'idempotency-key': 'rotate' } });
  const first = await rotate();
  const second = await rotate();
  expect(second.headers.get('idempotent-replayed')).toBeNull();
  expect(second.text).not.toBe(first.text);
  expect(await web.runtime.db.idempotencyKey.count({ where: { key: 'rotate' } })).toBe(0);
});
