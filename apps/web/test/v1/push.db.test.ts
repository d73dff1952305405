import { generateKeyPairSync } from 'node:crypto';
import { GOOGLE_TOKEN_URI } from '@clarion/protocol/v1/tenant/push-credentials';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

let web: Web;
let key: string;
const tenantRef = 'shop';
beforeAll(async () => {
  web = await startWeb();
  key = (await createTenantFixture(web, 'acme')).key;
});
afterAll(() => web.stop());

// ---------------------------------------------------------------- tokens

const device = (deviceId: string, agentRef = 'ada') => ({ tenantRef, agentRef, deviceId });
const android = (token: string) => ({ platform: 'ANDROID', provider: 'FCM', token });
const putToken = (path: Record<string, string>, body: unknown, as = key) =>
  call('putPushToken', { key: as, path, body });
const tokensOf = async (agentRef = 'ada', as = key) =>
  (await call('listPushTokens', { key: as, path: { tenantRef, agentRef } })).json.pushTokens;
const devicesOf = async (agentRef = 'ada', as = key) =>
  (await tokensOf(agentRef, as)).map(({ deviceId, provider }) => `${deviceId} ${provider}`);

test('a device registers and replaces its token, of which only the end is shown', async () => {
  const path = device('pixel');
  const first = (await putToken(path, { platform: 'android', provider: 'fcm', token: ' first-token-0001 ' }))
    .json;
  expect(first.pushToken).toMatchObject({
    deviceId: 'pixel',
    platform: 'ANDROID',
    provider: 'FCM',
    token: '••••0001',
  });
  const second = (await putToken(path, android('second-token-0002'))).json.pushToken;
  expect(second).toMatchObject({ token: '••••0002', createdAt: first.pushToken.createdAt });
  expect(Date.parse(second.updatedAt)).toBeGreaterThanOrEqual(Date.parse(first.pushToken.updatedAt));
  expect(await tokensOf()).toEqual([second]);
  const row = await web.runtime.db.pushToken.findFirstOrThrow({ where: { deviceId: 'pixel' } });
  expect(JSON.stringify(row)).not.toContain('second-token');
  expect(web.runtime.secrets.open('push-token', row.tokenSealed)).toBe('second-token-0002');
  expect((await putToken(path, android('short'))).json.pushToken.token).toBe('••••');
  expect((await call('deletePushToken', { key, path })).status).toBe(204);
});

test('an iPhone registers two providers, and signing out deletes both', async () => {
  const path = device('iphone');
  await putToken(path, { platform: 'IOS', provider: 'APNS_VOIP', token: 'a1b2c3' });
  await putToken(path, { platform: 'IOS', provider: 'FCM', token: 'banner' });
  expect(await devicesOf()).toEqual(['iphone APNS_VOIP', 'iphone FCM']);
  expect((await call('deletePushToken', { key, path })).status).toBe(204);
  expect(await tokensOf()).toEqual([]);
  expectError(await call('deletePushToken', { key, path }), 404, 'not_found');
});

test('a wrong field of a token is named', async () => {
  const path = device('wrong');
  for (const [body, field] of [
    [{}, 'platform'],
    [{ ...android('t'), platform: 'SYMBIAN' }, 'platform'],
    [{ ...android('t'), platform: 7 }, 'platform'],
    [{ platform: 'IOS', token: 't' }, 'provider'],
    [{ ...android('t'), provider: 'SMS' }, 'provider'],
    [{ ...android('t'), provider: 'APNS_VOIP' }, 'provider'],
    [{ platform: 'WEB', provider: 'APNS_VOIP', token: 't' }, 'provider'],
    [{ platform: 'ANDROID', provider: 'FCM' }, 'token'],
    [android('  '), 'token'],
    [android('x'.repeat(4097)), 'token'],
    [android('a\0b'), 'token'],
  ] as const) {
    expectError(await putToken(path, body), 400, 'invalid_request', field);
  }
  expectError(await putToken(path, '{"platform"'), 400, 'invalid_request');
  expectError(await putToken(device('x'.repeat(192)), android('t')), 400, 'invalid_request', 'device_id');
  expect(await tokensOf()).toEqual([]);
  expect((await putToken(device('x'.repeat(191)), android('x'.repeat(4096)))).status).toBe(200);
  expect((await putToken(device('web'), { platform: 'web', provider: 'onesignal', token: 's' })).status).toBe(
    200,
  );
  for (const deviceId of ['x'.repeat(191), 'web'])
    await call('deletePushToken', { key, path: device(deviceId) });
});

test('tokens need an existing agent', async () => {
  expectError(await putToken(device('d', 'nobody'), android('t')), 404, 'not_found');
  expectError(await putToken({ ...device('d'), tenantRef: 'nowhere' }, android('t')), 404, 'not_found');
  expectError(await call('listPushTokens', { key, path: device('d', 'nobody') }), 404, 'not_found');
  expectError(await call('deletePushToken', { key, path: device('d', 'nobody') }), 404, 'not_found');
});

test('a token belongs to one agent: the last PUT takes it over, also from another device and tenant', async () => {
  await call('putTenant', { key, path: { tenantRef: 'second' }, body: { name: 'Second' } });
  await call('putAgent', { key, path: { tenantRef: 'second', agentRef: 'zoe' }, body: { name: 'Zoe' } });
  await putToken(device('shared'), android('moves-about'));
  await putToken(device('shared'), { platform: 'ANDROID', provider: 'ONESIGNAL', token: 'moves-about' });
  await putToken(device('shared', 'ben'), android('moves-about'));
  expect(await devicesOf('ada')).toEqual(['shared ONESIGNAL']);
  expect(await devicesOf('ben')).toEqual(['shared FCM']);
  await putToken(device('reinstalled', 'ben'), android('moves-about'));
  expect(await devicesOf('ben')).toEqual(['reinstalled FCM']);
  await putToken({ tenantRef: 'second', agentRef: 'zoe', deviceId: 'shared' }, android('moves-about'));
  expect(await devicesOf('ben')).toEqual([]);

  const other = await createTenantFixture(web, 'elsewhere');
  await putToken(device('shared'), android('moves-about'), other.key);
  expect(await devicesOf('ada', other.key)).toEqual(['shared FCM']);
  expect(
    (await call('listPushTokens', { key, path: { tenantRef: 'second', agentRef: 'zoe' } })).json.pushTokens,
  ).toHaveLength(1);
  await call('deletePushToken', { key, path: device('shared') });
});

test('tokens that are taken over concurrently end up with one agent each', async () => {
  const moves = Array.from({ length: 24 }, (_, index) =>
    putToken(
      device(`racer-${index % 3}`, index % 2 === 0 ? 'ada' : 'ben'),
      android(`raced-token-${index % 4}`),
    ),
  );
  expect((await Promise.all(moves)).map(({ status }) => status)).toEqual(moves.map(() => 200));
  const rows = await web.runtime.db.pushToken.findMany({ where: { deviceId: { startsWith: 'racer-' } } });
  const tokens = rows.map(({ tokenSealed }) => web.runtime.secrets.open('push-token', tokenSealed));
  expect(tokens.toSorted()).toEqual([...new Set(tokens)].toSorted());
  await web.runtime.db.pushToken.deleteMany({ where: { deviceId: { startsWith: 'racer-' } } });
});

test('a deleted agent has no tokens, even if one is registered late', async () => {
  const agent = { tenantRef, agentRef: 'leaving' };
  for (let round = 0; round < 5; round += 1) {
    await call('putAgent', { key, path: agent, body: { name: 'Leaving' } });
    await putToken({ ...agent, deviceId: 'kept' }, android(`leaving-${round}`));
    const [late] = await Promise.all([
      putToken({ ...agent, deviceId: 'late' }, android(`late-${round}`)),
      call('deleteAgent', { key, path: agent }),
    ]);
    expect([200, 404]).toContain(late.status);
    await call('putAgent', { key, path: agent, body: { name: 'Back' } });
    expect(await tokensOf('leaving')).toEqual([]);
  }
});

test('changes of tokens are in the audit log, without the token', async () => {
  await putToken(device('audited'), android('audited-secret-token'));
  await call('deletePushToken', { key, path: device('audited') });
  const entries = await web.runtime.db.auditEntry.findMany({
    where: { action: { startsWith: 'push_token.' }, details: { path: ['deviceId'], equals: 'audited' } },
    orderBy: { id: 'asc' },
  });
  expect(entries.map(({ action, target }) => [action, target])).toEqual([
    ['push_token.put', 'ada'],
    ['push_token.delete', 'ada'],
  ]);
  expect(JSON.stringify(entries.map(({ details }) => details))).not.toContain('audited-secret');
});

test("a browser's subscription is registered as JSON, and its endpoint must be public", async () => {
  const path = device('browser');
  const keys = { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) };
  const browser = (endpoint: string) => ({
    platform: 'WEB',
    provider: 'WEB_PUSH',
    token: JSON.stringify({ endpoint, keys }),
  });
  expect((await putToken(path, browser('https://93.184.215.14/1'))).status).toBe(200);
  for (const endpoint of ['http://93.184.215.14/1', 'https://127.0.0.1/1'])
    expectError(await putToken(path, browser(endpoint)), 400, 'invalid_request', 'token');
  await call('deletePushToken', { key, path });
});

// ---------------------------------------------------------------- credentials

const pem = { format: 'pem', type: 'pkcs8' } as const;
const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pem).toString();
const ecKey = (namedCurve: string) =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export(pem).toString();
const p256Key = ecKey('P-256');

const serviceAccount = (more: Record<string, unknown> = {}) => ({
  service_account: {
    type: 'service_account',
    project_id: 'helpdesk-1234',
    private_key_id: 'abc',
    private_key: rsaKey,
    client_email: 'push@helpdesk-1234.iam.gserviceaccount.com',
    token_uri: GOOGLE_TOKEN_URI,
    ...more,
  },
});
const apns = (more: Record<string, unknown> = {}) => ({
  key_p8: p256Key,
  key_id: '9ABC123DEF',
  team_id: 'TEAM123456',
  bundle_id: 'com.example.helpdesk',
  ...more,
});
const oneSignal = (more: Record<string, unknown> = {}) => ({
  app_id: '6F1D3C1E-8A5B-4C7D-9E2F-0A1B2C3D4E5F',
  api_key: 'os_v2_app_secret',
  ...more,
});
const putCredentials = (provider: string, body: unknown) =>
  call('putPushCredentials', { key, path: { provider }, body });

test('credentials of each provider are set, read, listed and deleted, and no secret is ever shown', async () => {
  const written = [
    await putCredentials('fcm', serviceAccount()),
    await putCredentials('APNs', apns({ sandbox: true })),
    await putCredentials('OneSignal', oneSignal()),
  ];
  const [fcm, apple, os] = written.map(({ json }) => json.pushCredentials);
  expect(fcm).toMatchObject({
    provider: 'FCM',
    projectId: 'helpdesk-1234',
    clientEmail: 'push@helpdesk-1234.iam.gserviceaccount.com',
    tokenUri: GOOGLE_TOKEN_URI,
    privateKeySet: true,
  });
  expect(apple).toMatchObject({ provider: 'APNS', keyId: '9ABC123DEF', sandbox: true, keyP8Set: true });
  expect(os).toMatchObject({
    provider: 'ONESIGNAL',
    appId: '6f1d3c1e-8a5b-4c7d-9e2f-0a1b2c3d4e5f',
    apiKeySet: true,
  });
  const listed = await call('listPushCredentials', { key });
  expect(listed.json.pushCredentials).toEqual([apple, fcm, os]);
  for (const { text } of [...written, listed]) expect(text).not.toMatch(/PRIVATE KEY|os_v2_app_secret/);

  const rows = await web.runtime.db.pushCredential.findMany({ orderBy: { provider: 'asc' } });
  expect(JSON.stringify(rows)).not.toMatch(/PRIVATE KEY|os_v2_app_secret/);
  expect(rows.map(({ secretSealed }) => web.runtime.secrets.open('push-credentials', secretSealed))).toEqual([
    p256Key,
    rsaKey,
    'os_v2_app_secret',
  ]);

  expect((await call('getPushCredentials', { key, path: { provider: 'FCM' } })).json.pushCredentials).toEqual(
    fcm,
  );
  for (const provider of ['fcm', 'apns', 'onesignal']) {
    expect((await call('deletePushCredentials', { key, path: { provider } })).status).toBe(204);
    expectError(await call('getPushCredentials', { key, path: { provider } }), 404, 'not_found');
    expectError(await call('deletePushCredentials', { key, path: { provider } }), 404, 'not_found');
  }
  expect((await call('listPushCredentials', { key })).json.pushCredentials).toEqual([]);
});

test('a PUT replaces: an omitted sandbox is off again', async () => {
  const first = (await putCredentials('apns', apns({ sandbox: true }))).json.pushCredentials;
  const second = (await putCredentials('apns', apns({ bundle_id: 'com.example.other' }))).json
    .pushCredentials;
  expect(second).toMatchObject({ bundleId: 'com.example.other', sandbox: false, createdAt: first.createdAt });
});

test('the key for web push is generated once, and kept by later PUTs', async () => {
  const put = async (subject: string) => (await putCredentials('webpush', { subject })).json.pushCredentials;
  const first = await put('mailto:ops@helpdesk.example');
  expect(first).toMatchObject({ provider: 'WEBPUSH', privateKeySet: true });
  const second = await put('https://helpdesk.example/contact');
  expect(second).toEqual({
    ...first,
    subject: 'https://helpdesk.example/contact',
    updatedAt: second.updatedAt,
  });
  expect(
    (await call('getPushCredentials', { key, path: { provider: 'webpush' } })).json.pushCredentials,
  ).toEqual(second);
  await call('deletePushCredentials', { key, path: { provider: 'webpush' } });
  expect(await put('mailto:ops@helpdesk.example')).not.toMatchObject({
    publicKey: first.provider === 'WEBPUSH' ? first.publicKey : '',
  });
  await call('deletePushCredentials', { key, path: { provider: 'webpush' } });
});

test('a browser registers its subscription', async () => {
  const subscription = {
    endpoint: 'https://push.example/send/abc',
    keys: { p256dh: 'B'.repeat(87), auth: 'a'.repeat(22) },
  };
  const path = device('firefox');
  const put = (platform: string, token: unknown) =>
    putToken(path, { platform, provider: 'WEB_PUSH', token: JSON.stringify(token) });
  expect((await put('WEB', { ...subscription, expirationTime: null })).status).toBe(200);
  expect(await devicesOf()).toEqual(['firefox WEB_PUSH']);
  for (const [platform, token, field] of [
    ['ANDROID', subscription, 'provider'],
    ['WEB', { ...subscription, endpoint: 'push.example' }, 'token'],
    ['WEB', { ...subscription, keys: { auth: 'a'.repeat(22) } }, 'token'],
    ['WEB', 'abc', 'token'],
  ] as const) {
    expectError(await put(platform, token), 400, 'invalid_request', field);
  }
  await call('deletePushToken', { key, path });
});

test('keys are accepted with escaped line breaks and in the older PEM format', async () => {
  const escaped = rsaKey.replaceAll('\n', String.raw`\n`);
  expect((await putCredentials('fcm', serviceAccount({ private_key: escaped }))).status).toBe(200);
  const sec1 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    format: 'pem',
    type: 'sec1',
  });
  expect((await putCredentials('apns', apns({ key_p8: sec1.toString() }))).status).toBe(200);
});

test('an invalid field of credentials is named, and nothing is stored', async () => {
  const before = (await call('listPushCredentials', { key })).text;
  for (const [provider, body, field] of [
    ['fcm', {}, 'service_account'],
    ['fcm', { service_account: JSON.stringify(serviceAccount().service_account) }, 'service_account'],
    ['fcm', { service_account: [] }, 'service_account'],
    ['fcm', serviceAccount({ type: 'authorized_user' }), 'service_account.type'],
    ['fcm', serviceAccount({ type: null }), 'service_account.type'],
    ['fcm', serviceAccount({ project_id: ' ' }), 'service_account.project_id'],
    ['fcm', serviceAccount({ project_id: '../../v1' }), 'service_account.project_id'],
    ['fcm', serviceAccount({ client_email: 'nobody' }), 'service_account.client_email'],
    ['fcm', serviceAccount({ private_key: undefined }), 'service_account.private_key'],
    ['fcm', serviceAccount({ private_key: 'secret' }), 'service_account.private_key'],
    ['fcm', serviceAccount({ private_key: p256Key }), 'service_account.private_key'],
    ['fcm', serviceAccount({ private_key: rsaKey.slice(0, 400) }), 'service_account.private_key'],
    ['fcm', serviceAccount({ private_key: 'x'.repeat(16_385) }), 'service_account.private_key'],
    ['fcm', serviceAccount({ token_uri: 'oauth2.googleapis.com' }), 'service_account.token_uri'],
    ['fcm', serviceAccount({ token_uri: 'http://oauth2.googleapis.com/token' }), 'service_account.token_uri'],
    ['fcm', serviceAccount({ token_uri: 'https://169.254.169.254/token' }), 'service_account.token_uri'],
    ['fcm', serviceAccount({ token_uri: 'https://0x7f.1/token' }), 'service_account.token_uri'],
    ['apns', {}, 'key_p8'],
    ['apns', apns({ key_p8: rsaKey }), 'key_p8'],
    ['apns', apns({ key_p8: ecKey('P-384') }), 'key_p8'],
    ['apns', apns({ key_p8: 7 }), 'key_p8'],
    ['apns', apns({ key_id: '9ABC123DE' }), 'key_id'],
    ['apns', apns({ key_id: '9ABC123DEFG' }), 'key_id'],
    ['apns', apns({ team_id: 'TEAM-23456' }), 'team_id'],
    ['apns', apns({ bundle_id: 'com example' }), 'bundle_id'],
    ['apns', apns({ bundle_id: 'x'.repeat(156) }), 'bundle_id'],
    ['apns', apns({ sandbox: 'yes' }), 'sandbox'],
    ['onesignal', {}, 'app_id'],
    ['onesignal', oneSignal({ app_id: '123' }), 'app_id'],
    ['onesignal', oneSignal({ api_key: '' }), 'api_key'],
    ['onesignal', oneSignal({ api_key: 'x'.repeat(513) }), 'api_key'],
    ['webpush', {}, 'subject'],
    ['webpush', { subject: 'ops@helpdesk.example' }, 'subject'],
    ['webpush', { subject: 'http://helpdesk.example' }, 'subject'],
  ] as const) {
    const answer = await putCredentials(provider, body);
    expectError(answer, 400, 'invalid_request', field);
    expect(answer.text).not.toContain('PRIVATE KEY');
  }
  expectError(await putCredentials('fcm', '[]'), 400, 'invalid_request');
  expect((await call('listPushCredentials', { key })).text).toBe(before);
  expect((await putCredentials('apns', apns({ bundle_id: 'x'.repeat(155) }))).status).toBe(200);
  expect((await putCredentials('onesignal', oneSignal({ api_key: 'x'.repeat(512) }))).status).toBe(200);
});

test('any other provider is not found', async () => {
  for (const provider of ['gcm', 'fcm2', '%20', 'x'.repeat(300), 'constructor', '__proto__']) {
    expectError(await putCredentials(provider, oneSignal()), 404, 'not_found');
    expectError(await call('getPushCredentials', { key, path: { provider } }), 404, 'not_found');
    expectError(await call('deletePushCredentials', { key, path: { provider } }), 404, 'not_found');
  }
});

test('credentials belong to their consumer, and changes are in the audit log without the secret', async () => {
  await putCredentials('fcm', serviceAccount());
  const stranger = (await web.consumer('push-stranger')).apiKey;
  expect((await call('listPushCredentials', { key: stranger })).json.pushCredentials).toEqual([]);
  const path = { provider: 'fcm' };
  expectError(await call('getPushCredentials', { key: stranger, path }), 404, 'not_found');
  expectError(await call('deletePushCredentials', { key: stranger, path }), 404, 'not_found');
  const answers = await Promise.all(Array.from({ length: 8 }, () => putCredentials('fcm', serviceAccount())));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const entries = await web.runtime.db.auditEntry.findMany({
    where: { action: 'push_credentials.put', target: 'fcm' },
  });
  expect(entries.at(-1)?.details).toEqual({
    projectId: 'helpdesk-1234',
    clientEmail: 'push@helpdesk-1234.iam.gserviceaccount.com',
    tokenUri: GOOGLE_TOKEN_URI,
  });
});
