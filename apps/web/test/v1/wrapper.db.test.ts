import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_BODY_BYTES } from '@clarion/protocol/v1/endpoint';
import { handlers } from '../../app/v1/handlers.ts';
import { consumerBucket, mcpAddressBucket, REQUESTS_PER_MINUTE } from '#lib/api/rate-limit.ts';
import { markSurface } from '#lib/api/surface.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

let web: Web;
let key: string;
beforeAll(async () => {
  web = await startWeb();
  key = (await web.consumer('acme')).apiKey;
});
afterAll(() => web.stop());

test('a request without a valid key is 401', async () => {
  for (const wrong of [
    null,
    'nonsense',
    'ck_acme_short',
    `${key.slice(0, -2)}xx`,
    key.replace('acme', 'other'),
  ]) {
    expectError(await call('listTenants', { key: wrong }), 401, 'unauthorized');
  }
  expect((await call('listTenants', { key })).status).toBe(200);
});

test('a suspended consumer is 403, and is back when resumed', async () => {
  const { apiKey } = await web.consumer('late');
  await web.changeConsumer('late', { status: 'SUSPENDED' });
  expectError(await call('listTenants', { key: apiKey }), 403, 'consumer_suspended');
  await web.changeConsumer('late', { status: 'ACTIVE' });
  expect((await call('listTenants', { key: apiKey })).status).toBe(200);
});

test('every answer to a known consumer says how much of the minute is left', async () => {
  const { headers } = await call('listTenants', { key });
  expect(headers.get('x-ratelimit-limit')).toBe(String(REQUESTS_PER_MINUTE));
  expect(Number(headers.get('x-ratelimit-remaining'))).toBeLessThan(REQUESTS_PER_MINUTE);
  expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1000);
});

test('one process lets 1200 requests of a minute through and not one more', async () => {
  const bucket = consumerBucket(-1);
  const { rateLimiter } = web.runtime;
  const at = new Date('2026-03-01T09:00:59.999Z');
  const taken = await Promise.all(Array.from({ length: 1300 }, () => rateLimiter.take(bucket, at)));
  expect(taken.filter(({ allowed }) => allowed)).toHaveLength(REQUESTS_PER_MINUTE);
  expect(Math.min(...taken.map(({ remaining }) => remaining))).toBe(0);
  expect((await rateLimiter.take(bucket, new Date(at.getTime() + 1))).remaining).toBe(
    REQUESTS_PER_MINUTE - 1,
  );
});

test('what was counted in past minutes is forgotten with the next one', async () => {
  const { rateLimiter } = web.runtime;
  const at = new Date('2030-03-01T09:00:00.000Z');
  await Promise.all(
    Array.from({ length: 50 }, (_, i) => rateLimiter.take(mcpAddressBucket(`198.51.100.${i}`), at)),
  );
  expect(rateLimiter.size()).toBe(50);
  await rateLimiter.take(consumerBucket(-2), new Date(at.getTime() + 60_000));
  expect(rateLimiter.size()).toBe(1);
});

test('past the limit it is 429 with Retry-After, counting what other processes took, until the minute ends', async () => {
  const { apiKey, consumer } = await web.consumer('busy');
  const minute = new Date('2026-03-01T10:00:20.000Z');
  web.setNow(minute);
  try {
    await web.runtime.db.rateWindow.create({
      data: {
        bucket: consumerBucket(consumer.id).name,
        minute: Math.floor(minute.getTime() / 60_000),
        count: REQUESTS_PER_MINUTE - 2,
      },
    });
    expect((await call('listTenants', { key: apiKey })).headers.get('x-ratelimit-remaining')).toBe('1');
    expect((await call('listTenants', { key: apiKey })).headers.get('x-ratelimit-remaining')).toBe('0');
    const refused = await call('listTenants', { key: apiKey });
    expectError(refused, 429, 'rate_limited');
    expect(refused.headers.get('retry-after')).toBe('40');
    expect((await call('listTenants', { key })).status).toBe(200);
    web.setNow(new Date('2026-03-01T10:01:00.000Z'));
    expect((await call('listTenants', { key: apiKey })).status).toBe(200);
  } finally {
    web.setNow(null);
  }
});

test('what a process counted is in the shared row within a second', async () => {
  const { apiKey, consumer } = await web.consumer('counted');
  web.setNow(new Date('2026-03-01T11:00:00.000Z'));
  try {
    for (let n = 0; n < 5; n += 1) await call('listTenants', { key: apiKey });
  } finally {
    web.setNow(null);
  }
  const { db } = web.runtime;
  await expect
    .poll(
      async () =>
        (await db.rateWindow.findFirst({ where: { bucket: consumerBucket(consumer.id).name } }))?.count,
      {
        timeout: 2_000,
      },
    )
    .toBe(5);
});

test('malformed JSON, no JSON and JSON that is no object are 400 about no field', async () => {
  const path = { tenantRef: 'a' };
  for (const body of [
    '{"name":',
    '',
    '[]',
    'null',
    '"text"',
    `{"name":"a","x":${'['.repeat(101)}${']'.repeat(101)}}`,
  ]) {
    expectError(await call('putTenant', { key, path, body }), 400, 'invalid_request');
  }
});

test('a body of 10 MB is read and one byte more is 413', async () => {
  const path = { tenantRef: 'big' };
  const shell = '{"name":"Big","ignored":""}';
  const filled = (size: number) => shell.replace('""', `"${'x'.repeat(size - shell.length)}"`);
  expect((await call('putTenant', { key, path, body: filled(MAX_BODY_BYTES) })).status).toBe(200);
  expectError(
    await call('putTenant', { key, path, body: filled(MAX_BODY_BYTES + 1) }),
    413,
    'invalid_request',
  );
});

test('a ref of 191 characters stands, 192 are 400 on a PUT and 404 elsewhere', async () => {
  const long = 'é'.repeat(191);
  expect(
    (await call('putTenant', { key, path: { tenantRef: long }, body: { name: 'L' } })).json.tenant.ref,
  ).toBe(long);
  const path = { tenantRef: `${long}x` };
  expectError(
    await call('putTenant', { key, path, body: { name: 'L' } }),
    400,
    'invalid_request',
    'tenant_ref',
  );
  expectError(await call('getTenant', { key, path }), 404, 'not_found');
  expectError(
    await call('putTenant', { key, path: { tenantRef: ' ' }, body: { name: 'L' } }),
    400,
    'invalid_request',
    'tenant_ref',
  );
});

test('a revoked key is refused at once', async () => {
  const { revokeApiKey, createApiKey } = await import('@clarion/core/consumer/keys');
  const consumer = await web.runtime.db.consumer.findUniqueOrThrow({ where: { slug: 'acme' } });
  const ctx = { ...web.operator, now: new Date(), consumer };
  const second = await createApiKey(ctx, { name: 'second', expiresInDays: 1 });
  expect((await call('listTenants', { key: second.secret })).status).toBe(200);
  await revokeApiKey(ctx, second.apiKey.id);
  await expect
    .poll(async () => (await call('listTenants', { key: second.secret })).status, { timeout: 2_000 })
    .toBe(401);
  await expect(revokeApiKey(ctx, second.apiKey.id)).rejects.toMatchObject({ code: 'not_found' });
});

test('an expired key is refused although it was just believed', async () => {
  const { createApiKey } = await import('@clarion/core/consumer/keys');
  const consumer = await web.runtime.db.consumer.findUniqueOrThrow({ where: { slug: 'acme' } });
  const at = new Date('2026-03-02T00:00:00.000Z');
  const { secret: brief } = await createApiKey(
    { ...web.operator, consumer, now: at },
    { name: 'brief', expiresInDays: 1 },
  );
  try {
    web.setNow(new Date('2026-03-02T23:59:59.000Z'));
    expect((await call('listTenants', { key: brief })).status).toBe(200);
    web.setNow(new Date('2026-03-03T00:00:00.000Z'));
    expectError(await call('listTenants', { key: brief }), 401, 'unauthorized');
  } finally {
    web.setNow(null);
  }
});

test('a change says which way in it came: the API, or the assistant endpoint that marked its request', async () => {
  const change = async (ref: string, surface?: 'mcp') => {
    const request = new Request(`http://localhost/v1/tenants/${ref}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ name: ref }),
    });
    if (surface) markSurface(request, surface);
    expect((await handlers.putTenant(request)).status).toBe(200);
    const entry = await web.runtime.db.auditEntry.findFirst({ where: { target: ref } });
    return { surface: entry?.surface, actor: entry?.actorKind };
  };
  expect(await change('plain')).toEqual({ surface: 'api', actor: 'apiKey' });
  expect(await change('assisted', 'mcp')).toEqual({ surface: 'mcp', actor: 'apiKey' });
});
