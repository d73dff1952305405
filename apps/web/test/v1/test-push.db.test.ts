import { PushDevices } from '@clarion/testkit/peers/push-devices';
import { TEST_PUSHES_PER_MINUTE } from '@clarion/protocol/v1/tenant/push-credentials';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

let devices: PushDevices;
let web: Web;
let key: string;
beforeAll(async () => {
  devices = await PushDevices.start();
  web = await startWeb({
    ...devices.env,
    CLARION_ALLOW_PRIVATE_EGRESS: '1',
    CLARION_PRODUCTION: '0',
  });
  key = (await createTenantFixture(web, 'acme')).key;
  for (const [provider, body] of Object.entries(devices.credentials)) await putCredentials(provider, body);
});
afterAll(async () => {
  await web.stop();
  await devices.close();
});
afterEach(() => devices.simulator.reset());

const tenantRef = 'shop';
const newPhone = () => devices.simulator.fcm.addDevice(devices.credentials.fcm.service_account.project_id);
const putCredentials = (provider: string, body: unknown, as = key) =>
  call('putPushCredentials', { key: as, path: { provider }, body });
const sendTest = (provider: string, body: unknown = {}, as = key) =>
  call('testPushCredentials', { key: as, path: { provider }, body });
const toAda = (device_id: string) => ({ tenant_ref: tenantRef, agent_ref: 'ada', device_id });
const registered = (deviceId: string, platform: string, provider: string, token: string) =>
  call('putPushToken', {
    key,
    path: { tenantRef, agentRef: 'ada', deviceId },
    body: { platform, provider, token },
  });
const tokenOf = async (deviceId: string) =>
  (await call('listPushTokens', { key, path: { tenantRef, agentRef: 'ada' } })).json.pushTokens.find(
    (token) => token.deviceId === deviceId,
  );

test('a device of each provider receives the test push, and the token shows it', async () => {
  const { simulator } = devices;
  const { publicKey } = (await call('getPushCredentials', { key, path: { provider: 'webpush' } })).json
    .pushCredentials as { publicKey: string };
  const tokens = {
    fcm: ['ANDROID', 'FCM', newPhone()],
    onesignal: [
      'ANDROID',
      'ONESIGNAL',
      simulator.onesignal.addSubscription(devices.credentials.onesignal.app_id),
    ],
    webpush: ['WEB', 'WEB_PUSH', JSON.stringify(simulator.webPush.subscribe(publicKey))],
  } as const;
  for (const [provider, [platform, issuer, token]] of Object.entries(tokens)) {
    await registered(provider, platform, issuer, token);
    const { status, json } = await sendTest(provider, toAda(provider));
    expect(status).toBe(200);
    expect(json.result).toMatchObject({
      outcome: 'SENT',
      reason: null,
      message: expect.stringContaining('accepted'),
    });
    const [received] = await simulator.received(token);
    expect(received?.data).toMatchObject({ type: 'test', tenantRef, agentRef: 'ada' });
    expect(await tokenOf(provider)).toMatchObject({ lastResult: 'SENT', rejectedAt: null });
  }
});

test('apns tests the key without a device', async () => {
  expect((await sendTest('apns')).json.result).toMatchObject({
    outcome: 'SENT',
    message: expect.stringContaining('Apple accepts the credentials'),
  });
});

test('credentials that the provider does not accept are explained', async () => {
  const other = await createTenantFixture(web, 'wrong-key');
  await putCredentials('apns', { ...devices.credentials.apns, key_id: 'XXXXXXXXXX' }, other.key);
  expect((await sendTest('apns', {}, other.key)).json.result).toEqual({
    outcome: 'FAILED',
    httpStatus: 403,
    reason: 'InvalidProviderToken',
    message: 'Apple does not accept this key. Check the key ID and the team ID.',
  });
});

test('a token that is no longer valid counts no longer, until it is registered again', async () => {
  const token = newPhone();
  await registered('gone', 'ANDROID', 'FCM', token);
  devices.simulator.fcm.setRegistered(token, false);
  expect((await sendTest('fcm', toAda('gone'))).json.result).toMatchObject({
    outcome: 'REJECTED',
    httpStatus: 404,
    reason: 'UNREGISTERED',
  });
  const rejected = await tokenOf('gone');
  expect(rejected?.rejectedAt).not.toBeNull();
  expect(rejected?.updatedAt).toBe(rejected?.createdAt);
  await registered('gone', 'ANDROID', 'FCM', token);
  expect((await tokenOf('gone'))?.rejectedAt).toBeNull();
});

test('a provider that is busy or silent may succeed later', async () => {
  await registered('busy', 'ANDROID', 'FCM', newPhone());
  devices.simulator.fcm.faults.add({ effect: { kind: 'respond', status: 503, body: {} } });
  expect((await sendTest('fcm', toAda('busy'))).json.result).toMatchObject({
    outcome: 'RETRY',
    httpStatus: 503,
    message: expect.stringContaining('busy or unavailable'),
  });
});

test('missing fields and unknown refs are named, and unknown devices and credentials are not found', async () => {
  expectError(await sendTest('fcm'), 400, 'invalid_request', 'tenant_ref');
  expectError(await sendTest('fcm', { tenant_ref: tenantRef }), 400, 'invalid_request', 'agent_ref');
  expectError(await sendTest('fcm', { ...toAda('x'), device_id: ' ' }), 400, 'invalid_request', 'device_id');
  expectError(await sendTest('fcm', toAda('nothing')), 404, 'not_found');
  for (const field of ['tenant_ref', 'agent_ref'])
    expectError(await sendTest('fcm', { ...toAda('x'), [field]: 'unknown' }), 400, 'invalid_request', field);
  await registered('only-onesignal', 'ANDROID', 'ONESIGNAL', 'a-subscription');
  expectError(await sendTest('fcm', toAda('only-onesignal')), 404, 'not_found');
  const stranger = (await web.consumer('no-credentials')).apiKey;
  expectError(await sendTest('apns', {}, stranger), 404, 'not_found');
});

test('tests are limited per account and are in the audit log', async () => {
  const { key: own } = await createTenantFixture(web, 'limited');
  await putCredentials('apns', devices.credentials.apns, own);
  web.setNow(new Date()); // All within one minute.
  const statuses: number[] = [];
  for (let count = 0; count <= TEST_PUSHES_PER_MINUTE; count += 1)
    statuses.push((await sendTest('apns', {}, own)).status);
  expect(statuses.slice(0, -1)).toEqual(Array.from({ length: TEST_PUSHES_PER_MINUTE }, () => 200));
  expectError(await sendTest('apns', {}, own), 429, 'rate_limited');
  const entries = await web.runtime.db.auditEntry.findMany({
    where: { action: 'push_credentials.test', consumer: { slug: 'limited' } },
  });
  expect(entries).toHaveLength(TEST_PUSHES_PER_MINUTE);
  expect(entries[0]).toMatchObject({ target: 'apns', details: { outcome: 'sent', reason: null } });
});
