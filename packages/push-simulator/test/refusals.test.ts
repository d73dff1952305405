/** What the services refuse: a sender that makes a mistake must not pass its tests. */
import { createHash, createPrivateKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { connect } from 'node:http2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPushSimulator } from '../src/index.ts';
import type { PushSimulator } from '../src/index.ts';

const pem = { format: 'pem', type: 'pkcs8' } as const;
const ecKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const BUNDLE_ID = 'com.example.helpdesk';
const EMAIL = 'push@helpdesk.example';
const PROJECT_ID = 'helpdesk-1234';
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';

let push: PushSimulator;
beforeAll(async () => {
  push = await startPushSimulator({
    apnsKeys: [{ teamId: 'TEAM', keyId: 'KEY', key: ecKey.export(pem).toString(), bundleIds: [BUNDLE_ID] }],
    serviceAccounts: [{ projectId: PROJECT_ID, clientEmail: EMAIL, key: rsaKey.export(pem).toString() }],
    oneSignalApps: [{ appId: 'app', apiKey: 'secret' }],
  });
});
afterAll(() => push.close());

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
function jwt(header: object, claims: object, key: KeyObject): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  const options = key.asymmetricKeyType === 'ec' ? { key, dsaEncoding: 'ieee-p1363' as const } : key;
  return `${text}.${sign('sha256', Buffer.from(text), options).toString('base64url')}`;
}
const seconds = (offset = 0) => Math.floor(Date.now() / 1000) + offset;

/** The status and the body of a POST over HTTP/2. */
async function postH2(url: string, headers: Record<string, string>, body: string) {
  const session = connect(url);
  try {
    return await new Promise<{ status: number; json: unknown }>((resolve, reject) => {
      const { origin, pathname } = new URL(url);
      session.on('error', reject);
      const stream = session.request({ ':method': 'POST', ':path': pathname, ...headers });
      let [status, text] = [0, ''];
      stream.setEncoding('utf8');
      stream.on('response', (answer) => (status = Number(answer[':status'])));
      stream.on('data', (chunk: string) => (text += chunk));
      stream.on('end', () => resolve({ status, json: text === '' ? null : JSON.parse(text) }));
      stream.on('error', () => reject(new Error(`no answer from ${origin}`)));
      stream.end(body);
    });
  } finally {
    session.close();
  }
}

// ---------------------------------------------------------------- APNs

const providerToken = (changes: object = {}, key: KeyObject = ecKey) =>
  `bearer ${jwt({ alg: 'ES256', kid: 'KEY' }, { iss: 'TEAM', iat: seconds(), ...changes }, key)}`;
const voip = () => ({
  authorization: providerToken(),
  'apns-topic': `${BUNDLE_ID}.voip`,
  'apns-push-type': 'voip',
  'apns-priority': '10',
  'apns-expiration': '0',
  'apns-id': randomUUID(),
});
const toDevice = (token: string, headers: Record<string, string>, body = '{"aps":{}}') =>
  postH2(`${push.urls.apns}/3/device/${token}`, headers, body);

test('APNs accepts a correct VoIP push, and delivers it to the device', async () => {
  const token = push.apns.addDevice({ bundleId: BUNDLE_ID });
  expect(await toDevice(token, voip(), '{"aps":{},"type":"call"}')).toEqual({ status: 200, json: null });
  expect((await push.received(token)).map(({ data }) => data)).toEqual([{ type: 'call' }]);
});

const otherEcKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
test.each<[number, string, () => Record<string, string>]>([
  [403, 'MissingProviderToken', () => ({ authorization: '' })],
  [403, 'InvalidProviderToken', () => ({ authorization: 'bearer abc' })],
  [403, 'InvalidProviderToken', () => ({ authorization: providerToken({ iss: 'OTHER' }) })],
  [403, 'InvalidProviderToken', () => ({ authorization: providerToken({}, otherEcKey) })],
  [403, 'ExpiredProviderToken', () => ({ authorization: providerToken({ iat: seconds(-3_601) }) })],
  [403, 'ExpiredProviderToken', () => ({ authorization: providerToken({ iat: seconds(120) }) })],
  [400, 'TopicDisallowed', () => ({ 'apns-topic': 'com.example.other.voip' })],
  [400, 'InvalidPushType', () => ({ 'apns-topic': BUNDLE_ID })],
  [400, 'InvalidPushType', () => ({ 'apns-push-type': 'alert' })],
  [400, 'BadPriority', () => ({ 'apns-priority': '11' })],
  [400, 'BadExpirationDate', () => ({ 'apns-expiration': 'now' })],
  [400, 'BadMessageId', () => ({ 'apns-id': '17' })],
])('APNs refuses: %i %s', async (status, reason, changes) => {
  const token = push.apns.addDevice({ bundleId: BUNDLE_ID });
  expect(await toDevice(token, { ...voip(), ...changes() })).toEqual({ status, json: { reason } });
  expect(push.inbox(token)).toEqual([]);
});

test('APNs refuses payloads that are too large, and tokens of other environments', async () => {
  const sandboxed = push.apns.addDevice({ bundleId: BUNDLE_ID, sandbox: true });
  expect(await toDevice(sandboxed, voip())).toEqual({ status: 400, json: { reason: 'BadDeviceToken' } });
  expect(await toDevice(sandboxed, voip(), JSON.stringify({ a: 'x'.repeat(5_120) }))).toEqual({
    status: 413,
    json: { reason: 'PayloadTooLarge' },
  });
});

// ---------------------------------------------------------------- Google

const assertion = (changes: object = {}, key: KeyObject = rsaKey) =>
  jwt(
    { alg: 'RS256', typ: 'JWT' },
    { iss: EMAIL, scope: SCOPE, aud: push.urls.token, iat: seconds(), exp: seconds(3_600), ...changes },
    key,
  );
const askForToken = async (text: string) => {
  const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: text };
  const response = await fetch(push.urls.token, {
    method: 'POST',
    body: new URLSearchParams(grant).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
};

test.each<[string, () => string]>([
  ['no JWT', () => 'abc'],
  ['another key', () => assertion({}, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)],
  ['an unknown account', () => assertion({ iss: 'nobody' })],
  ['another audience', () => assertion({ aud: 'https://oauth2.googleapis.com/token' })],
  ['another scope', () => assertion({ scope: 'email' })],
  ['two hours', () => assertion({ exp: seconds(7_200) })],
  ['the past', () => assertion({ iat: seconds(-7_200), exp: seconds(-3_700) })],
  ['the future', () => assertion({ iat: seconds(3_600), exp: seconds(7_200) })],
])('Google refuses an assertion: %s', async (_, text) => {
  expect(await askForToken(text())).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
});

test.each<[number, string, object]>([
  [400, 'INVALID_ARGUMENT', { data: { from: '+44' } }],
  [400, 'INVALID_ARGUMENT', { data: { callId: 981 } }],
  [400, 'INVALID_ARGUMENT', { data: { text: 'x'.repeat(4_096) } }],
  [400, 'INVALID_ARGUMENT', { android: { ttl: '30' } }],
  [400, 'INVALID_ARGUMENT', { android: { priority: 'URGENT' } }],
  [400, 'INVALID_ARGUMENT', { webpush: { headers: { TTL: 30 } } }],
  [400, 'INVALID_ARGUMENT', { token: 'short' }],
  [404, 'NOT_FOUND', { token: 'x'.repeat(140) }],
])('FCM refuses: %i %s %o', async (code, status, changes) => {
  const { json } = await askForToken(assertion());
  const token = push.fcm.addDevice(PROJECT_ID);
  const body = JSON.stringify({ message: { token, ...changes } });
  const headers = { authorization: `Bearer ${String(json['access_token'])}` };
  const answer = await postH2(`${push.urls.fcm}/v1/projects/${PROJECT_ID}/messages:send`, headers, body);
  expect(answer).toMatchObject({ status: code, json: { error: { code, status } } });
  expect(push.inbox(token)).toEqual([]);
});

test('FCM refuses an access token that is unknown or for another project', async () => {
  const { json } = await askForToken(assertion());
  const body = JSON.stringify({ message: { token: push.fcm.addDevice(PROJECT_ID) } });
  const send = (token: string, project: string) =>
    postH2(
      `${push.urls.fcm}/v1/projects/${project}/messages:send`,
      { authorization: `Bearer ${token}` },
      body,
    );
  expect((await send('ya29.unknown', PROJECT_ID)).status).toBe(401);
  expect((await send(String(json['access_token']), 'other')).status).toBe(403);
});

// ---------------------------------------------------------------- Web Push, OneSignal

const { x = '', y = '' } = createPrivateKey(ecKey.export(pem)).export({ format: 'jwk' });
const vapidKey = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);

test.each<[number, string, (origin: string) => { claims?: object; headers?: Record<string, string> }]>([
  [400, 'NotDecryptable', () => ({})],
  [403, 'BadJwtToken', () => ({ claims: { aud: 'https://push.example' } })],
  [403, 'ExpiredJwtToken', () => ({ claims: { exp: seconds(-1) } })],
  [403, 'ExpiredJwtToken', () => ({ claims: { exp: seconds(2 * 86_400) } })],
  [403, 'BadJwtToken', () => ({ claims: { sub: 'nobody' } })],
  [401, 'MissingVapid', () => ({ headers: { authorization: 'Bearer abc' } })],
  [400, 'BadTtl', () => ({ headers: { ttl: '' } })],
  [400, 'BadUrgency', () => ({ headers: { urgency: 'now' } })],
  [400, 'BadTopic', () => ({ headers: { topic: 'x'.repeat(33) } })],
  [400, 'BadContentEncoding', () => ({ headers: { 'content-encoding': 'aesgcm' } })],
])('Web Push refuses: %i %s', async (status, reason, changesOf) => {
  const origin = push.urls.webPush;
  const { claims, headers } = changesOf(origin);
  const subscription = push.webPush.subscribe(vapidKey.toString('base64url'));
  const token = jwt(
    { alg: 'ES256', typ: 'JWT' },
    { aud: origin, exp: seconds(3_600), sub: 'mailto:a@b.example', ...claims },
    ecKey,
  );
  const response = await fetch(subscription.endpoint, {
    method: 'POST',
    body: createHash('sha512').update('not encrypted').digest(),
    headers: {
      authorization: `vapid t=${token}, k=${vapidKey.toString('base64url')}`,
      ttl: '30',
      'content-encoding': 'aes128gcm',
      ...headers,
    },
  });
  expect([response.status, await response.json()]).toEqual([status, { reason }]);
});

test.each<[number, string, object]>([
  [403, 'Key other', {}],
  [400, 'Key secret', { app_id: 'other' }],
  [400, 'Key secret', { include_subscription_ids: [] }],
  [400, 'Key secret', { content_available: false }],
])('OneSignal refuses: %i', async (status, authorization, changes) => {
  const body = { app_id: 'app', include_subscription_ids: ['x'], content_available: true, ...changes };
  const response = await fetch(`${push.urls.onesignal}/notifications`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { authorization },
  });
  expect(response.status).toBe(status);
});
