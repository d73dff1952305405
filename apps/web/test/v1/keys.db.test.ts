import { verifyAgentToken } from '@clarion/core/agent/verify-agent-token';
import { signToken } from '@clarion/testkit/stack/token';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createWorld } from '../world.ts';

let web: Web;
let key: string;
let slug: string;
let consumerId: number;
beforeAll(async () => {
  web = await startWeb();
});
afterAll(() => web.stop());

/** Each test has an account of its own: one API key, one signing key. */
let accounts = 0;
beforeEach(async () => {
  accounts += 1;
  slug = `acme-${accounts}`;
  const made = await web.consumer(slug);
  key = made.apiKey;
  consumerId = made.consumer.id;
});

const createKey = async (body: Record<string, unknown> = { name: 'second' }) =>
  (await call('createApiKey', { key, body })).json;
const listKeys = async () => (await call('listApiKeys', { key })).json.apiKeys;
const revoke = (apiKeyId: number, by = key) => call('deleteApiKey', { key: by, path: { apiKeyId } });
const audited = (action: string) =>
  web.runtime.db.auditEntry.findFirstOrThrow({ where: { consumerId, action }, orderBy: { id: 'desc' } });

test('a new API key is shown once, works at once, and is listed without its secret', async () => {
  const { apiKey, secret } = await createKey({ name: ' backend ', expires_in_days: 30 });
  expect(secret).toMatch(new RegExp(`^ck_${slug}_[\\w-]{43}$`));
  expect(secret.startsWith(apiKey.prefix)).toBe(true);
  expect(apiKey).toMatchObject({ name: 'backend', lastUsedAt: null });
  const lifetime = Date.parse(apiKey.expiresAt ?? '') - Date.parse(apiKey.createdAt);
  expect(Math.round(lifetime / 86_400_000)).toBe(30);
  expect((await call('listTenants', { key: secret })).status).toBe(200);
  const answer = await call('listApiKeys', { key });
  expect(answer.json.apiKeys).toHaveLength(2);
  expect(answer.json.apiKeys[1]).toEqual(apiKey);
  expect(answer.text).not.toContain(secret.slice(apiKey.prefix.length));
  expect(JSON.stringify((await audited('api_key.create')).details)).not.toContain(
    secret.slice(apiKey.prefix.length),
  );
});

test('a key without expires_in_days never expires; 1 and 3650 days stand, 0, 3651, 1.5 and text are 400', async () => {
  expect((await createKey()).apiKey.expiresAt).toBeNull();
  for (const days of [1, 3650]) {
    expect((await createKey({ name: 'k', expires_in_days: days })).apiKey.expiresAt).not.toBeNull();
  }
  for (const days of [0, -1, 3651, 1.5, '30', true]) {
    const answer = await call('createApiKey', { key, body: { name: 'k', expires_in_days: days } });
    expectError(answer, 400, 'invalid_request', 'expires_in_days');
  }
});

test('a name of 255 characters stands; none, a blank one and 256 are 400', async () => {
  expect((await createKey({ name: 'é'.repeat(255) })).apiKey.name).toHaveLength(255);
  for (const name of [undefined, null, ' ', 'x'.repeat(256), 7]) {
    expectError(await call('createApiKey', { key, body: { name } }), 400, 'invalid_request', 'name');
  }
});

test('a revoked API key is refused at once, is no longer listed, and is not found a second time', async () => {
  const { apiKey, secret } = await createKey();
  expect((await call('listTenants', { key: secret })).status).toBe(200);
  const { status, text } = await revoke(apiKey.id);
  expect({ status, text }).toEqual({ status: 204, text: '' });
  expectError(await call('listTenants', { key: secret }), 401, 'unauthorized');
  expect((await listKeys()).map(({ id }) => id)).not.toContain(apiKey.id);
  expectError(await revoke(apiKey.id), 404, 'not_found');
  expectError(await revoke(2_000_000_000), 404, 'not_found');
  expect(await audited('api_key.revoke')).toMatchObject({ target: String(apiKey.id), surface: 'api' });
});

test('a key may revoke itself, as long as another one is left', async () => {
  const { apiKey, secret } = await createKey();
  expect((await revoke(apiKey.id, secret)).status).toBe(204);
  expectError(await call('listTenants', { key: secret }), 401, 'unauthorized');
  const [last] = await listKeys();
  expectError(await revoke(last?.id ?? 0), 409, 'last_key');
  expect((await call('listTenants', { key })).status).toBe(200);
});

test('an expired key does not count as one that is left, and can be removed itself', async () => {
  const { apiKey } = await createKey({ name: 'brief', expires_in_days: 1 });
  await web.runtime.db.apiKey.update({ where: { id: apiKey.id }, data: { expiresAt: new Date() } });
  const [first] = await listKeys();
  expectError(await revoke(first?.id ?? 0), 409, 'last_key');
  expect((await revoke(apiKey.id)).status).toBe(204);
});

test('of two revocations at once of the last two keys one is refused', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { apiKey, secret } = await createKey();
    const [first] = await listKeys();
    const answers = await Promise.all([revoke(first?.id ?? 0), revoke(apiKey.id)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 409]);
    const left = await web.runtime.db.apiKey.findMany({ where: { consumerId, revokedAt: null } });
    expect(left).toHaveLength(1);
    if (left[0]?.id === apiKey.id) key = secret;
  }
});

const createSigning = (body: Record<string, unknown> = {}) => call('createSigningKey', { key, body });
const deleteSigning = (kid: string) => call('deleteSigningKey', { key, path: { kid } });

test('a new signing key signs tokens that are taken, with a kid of one’s own or one that is made', async () => {
  const { db, secrets } = web.runtime;
  for (const body of [{ kid: ' app_2026.v-1 ', name: 'app' }, {}]) {
    const { signingKey, secret } = (await createSigning(body)).json;
    expect(signingKey).toMatchObject({
      kid: body.kid?.trim() ?? expect.stringMatching(/^k_[0-9a-f]{16}$/),
      name: body.name ?? null,
    });
    const token = signToken({ kid: signingKey.kid, secret }, { iss: slug, tnt: 'shop', sub: 'ada' });
    const verified = await verifyAgentToken(
      token,
      async (_, kid) => {
        const row = await db.signingKey.findUniqueOrThrow({ where: { consumerId_kid: { consumerId, kid } } });
        return { ...row, secret: secrets.open('signing-key', row.secretSealed) };
      },
      new Date(),
    );
    expect(verified).toMatchObject({ agentRef: 'ada', signingKeyId: signingKey.id });
    const listed = await call('listSigningKeys', { key });
    expect(listed.json.signingKeys.at(-1)).toEqual(signingKey);
    expect(listed.text).not.toContain(secret);
    expect(JSON.stringify((await audited('signing_key.create')).details)).not.toContain(secret);
  }
});

test('a kid of 1 and of 64 characters stands; 65, spaces, slashes and letters of other alphabets are 400', async () => {
  for (const kid of ['k', 'K'.repeat(64)]) expect((await createSigning({ kid })).status).toBe(201);
  for (const kid of ['k'.repeat(65), 'a b', 'a/b', 'clé', 7]) {
    expectError(await createSigning({ kid }), 400, 'invalid_request', 'kid');
  }
  expectError(await createSigning({ name: 'x'.repeat(256) }), 400, 'invalid_request', 'name');
});

test('a kid is taken once and for ever, for this account alone', async () => {
  await createSigning({ kid: 'mine' });
  const again = await createSigning({ kid: 'mine' });
  expectError(again, 409, 'kid_taken', 'kid');
  expect((await deleteSigning('mine')).status).toBe(204);
  expectError(await createSigning({ kid: 'mine' }), 409, 'kid_taken', 'kid');
  const other = (await web.consumer(`${slug}-other`)).apiKey;
  expect((await call('createSigningKey', { key: other, body: { kid: 'mine' } })).status).toBe(201);
});

test('of ten requests at once for one kid one gets it', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => createSigning({ kid: 'wanted' })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ error }) => error?.code === 'kid_taken')).toHaveLength(9);
});

test('the last signing key stays, and one revoked twice is not found', async () => {
  const [first] = (await call('listSigningKeys', { key })).json.signingKeys;
  expectError(await deleteSigning(first?.kid ?? ''), 409, 'last_key');
  await createSigning({ kid: 'next' });
  expect((await deleteSigning(first?.kid ?? '')).status).toBe(204);
  expectError(await deleteSigning(first?.kid ?? ''), 404, 'not_found');
  for (const kid of ['none', 'a b', 'k'.repeat(65)]) expectError(await deleteSigning(kid), 404, 'not_found');
  expect(await audited('signing_key.revoke')).toMatchObject({ target: first?.kid });
});

test('of two revocations at once of the last two signing keys one is refused', async () => {
  for (let round = 0; round < 10; round += 1) {
    await createSigning({});
    const kids = (await call('listSigningKeys', { key })).json.signingKeys.map(({ kid }) => kid);
    const answers = await Promise.all(kids.map(deleteSigning));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 409]);
  }
});

test('answers that show a secret are never replayed', async () => {
  const headers = { 'idempotency-key': 'once' };
  const secrets = await Promise.all([
    call('createApiKey', { key, headers, body: { name: 'a' } }),
    call('createApiKey', { key, headers, body: { name: 'a' } }),
    call('createSigningKey', { key, headers, body: {} }),
    call('createSigningKey', { key, headers, body: {} }),
  ]);
  expect(new Set(secrets.map(({ json }) => json.secret)).size).toBe(4);
  expect(secrets.some(({ headers: sent }) => sent.has('idempotent-replayed'))).toBe(false);
  expect(await web.runtime.db.idempotencyKey.count({ where: { consumerId } })).toBe(0);
});

test('the recording policy starts off, is kept, and is what lines without a choice of their own follow', async () => {
  ({
    key,
    consumer: { id: consumerId },
  } = await createWorld(web, `${slug}-recorded`));
  const policy = async () => (await call('getRecordingPolicy', { key })).json.recordingPolicy;
  const line = async () =>
    (await call('getChannel', { key, path: { tenantRef: 'shop', channelRef: 'main' } })).json.channel;
  expect(await policy()).toEqual({ enabled: false });
  for (const enabled of [true, true, false, true]) {
    const { json } = await call('putRecordingPolicy', { key, body: { enabled } });
    expect(json).toEqual({ recordingPolicy: { enabled } });
    expect(await policy()).toEqual({ enabled });
    expect((await line()).recording).toEqual({ enabled, source: 'ACCOUNT' });
  }
  expect(await audited('recording_policy.put')).toMatchObject({ details: { enabled: true } });
  for (const enabled of [undefined, null, 'true', 1, '']) {
    const answer = await call('putRecordingPolicy', { key, body: { enabled } });
    expectError(answer, 400, 'invalid_request', 'enabled');
  }
});
