/** FCM against a simulator: the access token from Google's token endpoint over HTTP/1.1, the sends over HTTP/2. */
import { pushPayload } from '@clarion/protocol/push-payload';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { PushMessage, PushTarget } from '../push-message.ts';
import { android, message, newRsaKey, PROJECT_ID, startPushScene } from './__fixtures__/push-scene.ts';
import type { PushScene } from './__fixtures__/push-scene.ts';
import type { CredentialsOf } from './push-sender.ts';

let scene: PushScene;
beforeAll(async () => {
  scene = await startPushScene();
});
afterAll(() => scene.stop());
afterEach(() => {
  expect(scene.errors).toEqual([]);
  scene.reset();
});

const newDevice = (projectId = PROJECT_ID) => scene.simulator.fcm.addDevice(projectId);
const send = (
  to: PushTarget,
  what: PushMessage = message('INCOMING', scene.now()),
  { as = scene.fcm, ms = 5_000 }: { as?: CredentialsOf<'fcm'>; ms?: number } = {},
) => scene.sender.send(as, to, what, scene.within(ms));
const on = (platform: PushTarget['platform'], token: string): PushTarget => ({ ...android(token), platform });
const sent = { outcome: 'sent', httpStatus: 200 };

interface FcmMessage {
  notification?: object;
  android?: { priority: string; ttl: string };
  webpush?: { headers: Record<string, string> };
  apns?: { headers: Record<string, string>; payload: { aps: object } };
}

test('a call is a data message that wakes the app and ends with the offer', async () => {
  const token = newDevice();
  for (const kind of ['INCOMING', 'WITHDRAWN'] as const)
    expect(await send(android(token), message(kind, scene.now()))).toEqual(sent);
  const received = await scene.simulator.received(token, 2);
  expect(received.map(({ data }) => pushPayload.parse(data).type)).toEqual([
    'call.incoming',
    'call.withdrawn',
  ]);
  expect(received[1]?.data).toMatchObject({ callId: '981', reason: 'ANSWERED_ELSEWHERE' });
  for (const { body } of received) {
    const { notification, android: options } = body as FcmMessage;
    expect(notification).toBeUndefined();
    expect(options?.priority).toBe('HIGH');
    expect(options?.ttl).toMatch(/^(29|30)s$/);
  }
});

test('a browser receives it with the urgency and the lifetime of Web Push', async () => {
  const token = newDevice();
  expect(await send(on('WEB', token))).toEqual(sent);
  const [received] = await scene.simulator.received(token);
  expect((received?.body as FcmMessage | undefined)?.webpush?.headers).toMatchObject({
    Urgency: 'high',
    TTL: expect.stringMatching(/^(29|30)$/),
    Topic: 'call-981',
  });
});

test('a missed call is a banner on the iPhone, and a call is never sent there through FCM', async () => {
  const token = newDevice();
  expect(await send(on('IOS', token), message('MISSED', scene.now()))).toEqual(sent);
  const [received] = await scene.simulator.received(token);
  const banner = { title: 'Missed call', body: 'Grace' };
  expect(received?.body).toMatchObject({
    notification: banner,
    apns: { headers: { 'apns-priority': '10' }, payload: { aps: { alert: banner } } },
  });
  expect(pushPayload.parse(received?.data).type).toBe('call.missed');
  expect(await send(on('IOS', token))).toMatchObject({ outcome: 'failed', httpStatus: null });
  expect(scene.simulator.inbox(token)).toHaveLength(1);
});

test('a token that is unknown, malformed or of another project is rejected, and accepted when it is registered again', async () => {
  const token = newDevice();
  scene.simulator.fcm.setRegistered(token, false);
  const gone = { outcome: 'rejected', httpStatus: 404, reason: 'UNREGISTERED' };
  expect(await send(android(token))).toEqual(gone);
  scene.simulator.fcm.setRegistered(token, true);
  expect(await send(android(token))).toEqual(sent);
  const malformed = { outcome: 'rejected', httpStatus: 400, reason: 'INVALID_ARGUMENT' };
  expect(await send(android('no token'))).toEqual(malformed);
  const elsewhere = { outcome: 'rejected', httpStatus: 403, reason: 'SENDER_ID_MISMATCH' };
  expect(await send(android(newDevice('other-project')))).toEqual(elsewhere);
});

test('sends share one access token, which is replaced a minute before its end, and when FCM refuses it', async () => {
  const { oauth } = scene.simulator;
  const token = newDevice();
  const burst = async () => {
    const results = await Promise.all(Array.from({ length: 50 }, () => send(android(token))));
    expect(results).toEqual(results.map(() => sent));
  };
  await burst();
  const before = oauth.issued;
  await burst();
  scene.advance(58 * 60_000);
  await burst();
  expect(oauth.issued).toBe(before);
  scene.advance(2 * 60_000);
  await burst();
  expect(oauth.issued).toBe(before + 1);
  oauth.revokeAll();
  await burst();
  expect(oauth.issued).toBe(before + 2);
});

test('prepare obtains the access token and opens the connection, so that a send is one request', async () => {
  const own = await startPushScene();
  try {
    const token = own.simulator.fcm.addDevice(PROJECT_ID);
    await own.sender.prepare(own.fcm, android(token));
    expect([own.simulator.oauth.issued, own.simulator.fcm.connections.opened]).toEqual([1, 1]);
    expect(await own.sender.send(own.fcm, android(token), message('INCOMING'), own.within(5_000))).toEqual(
      sent,
    );
    expect([own.simulator.oauth.issued, own.simulator.fcm.connections.opened]).toEqual([1, 1]);
  } finally {
    await own.stop();
  }
});

test('a wrong key is a failure, of which Google is not asked by every send', async () => {
  const wrong = { ...scene.fcm, secret: newRsaKey() };
  const failed = { outcome: 'failed', httpStatus: 400, reason: 'invalid_grant' };
  await scene.sender.prepare(wrong, android('x'));
  scene.simulator.oauth.faults.add({ effect: { kind: 'respond', status: 500 } });
  const results = await Promise.all(
    Array.from({ length: 10 }, () => send(android(newDevice()), undefined, { as: wrong })),
  );
  expect(results).toEqual(results.map(() => failed));
});

test('a busy service is tried again when it asks for it, and a busy token endpoint too', async () => {
  const token = newDevice();
  const busy = { kind: 'respond', status: 503, headers: { 'retry-after': '3' } } as const;
  const later = { outcome: 'retry', httpStatus: 503, reason: 'HTTP_503', retryAfterMs: 3_000 };
  scene.simulator.fcm.faults.add({ effect: busy });
  expect(await send(android(token))).toEqual(later);
  scene.advance(3 * 3_600_000);
  scene.simulator.oauth.faults.add({ effect: busy });
  expect(await send(android(token))).toEqual(later);
  scene.advance(6_000);
  expect(await send(android(token))).toEqual(sent);
});

test('a slow token endpoint delays neither the deadline of a send nor the sends after it', async () => {
  const token = newDevice();
  scene.advance(6 * 3_600_000);
  scene.simulator.oauth.faults.add({ effect: { kind: 'delay', ms: 300 } });
  const before = performance.now();
  const [impatient, patient] = await Promise.all([
    send(android(token), undefined, { ms: 50 }),
    send(android(token)),
  ]);
  expect(impatient).toEqual({ outcome: 'retry', httpStatus: null, reason: 'Timeout' });
  expect(patient).toEqual(sent);
  expect(performance.now() - before).toBeLessThan(1_500);
});

test('a lost connection is opened again', async () => {
  const token = newDevice();
  scene.simulator.fcm.faults.add({ effect: { kind: 'drop' } });
  expect(await send(android(token))).toMatchObject({ outcome: 'retry', httpStatus: null });
  expect(await send(android(token))).toEqual(sent);
});
