/** Web Push and OneSignal against simulators: plain requests through the egress guard. */
import { pushPayload } from '@clarion/protocol/push-payload';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createEgress } from '../../egress/guard.ts';
import { newVapidKey } from '../private-key.ts';
import type { PushMessage, PushTarget } from '../push-message.ts';
import { message, startPushScene } from './__fixtures__/push-scene.ts';
import type { PushScene } from './__fixtures__/push-scene.ts';
import { createPushSender } from './push-sender.ts';
import type { PushCredentials } from './push-sender.ts';

let scene: PushScene;
beforeAll(async () => {
  scene = await startPushScene();
});
afterAll(() => scene.stop());
afterEach(() => {
  expect(scene.errors).toEqual([]);
  scene.reset();
});

const browser = (subscription: object): PushTarget => ({
  platform: 'WEB',
  provider: 'WEB_PUSH',
  token: JSON.stringify(subscription),
  sandbox: null,
});
const oneSignal = (token: string): PushTarget => ({
  platform: 'ANDROID',
  provider: 'ONESIGNAL',
  token,
  sandbox: null,
});
const send = (as: PushCredentials, to: PushTarget, what: PushMessage = message('INCOMING', scene.now())) =>
  scene.sender.send(as, to, what, scene.within(5_000));
const subscribe = () => scene.simulator.webPush.subscribe(scene.webpush.settings.publicKey);

test('a browser can decrypt the message, and a withdrawal replaces an undelivered call', async () => {
  const to = browser(subscribe());
  for (const kind of ['INCOMING', 'WITHDRAWN'] as const)
    expect(await send(scene.webpush, to, message(kind, scene.now()))).toEqual({
      outcome: 'sent',
      httpStatus: 201,
    });
  const received = await scene.simulator.received(to.token, 2);
  expect(received.map(({ data }) => pushPayload.parse(data).type)).toEqual([
    'call.incoming',
    'call.withdrawn',
  ]);
  for (const { headers } of received)
    expect(headers).toMatchObject({
      urgency: 'high',
      topic: 'call-981',
      'content-type': 'application/octet-stream',
    });
  expect(received[0]?.headers['ttl']).toMatch(/^(29|30)$/);
});

test('a subscription that has ended is rejected, and one for another key fails', async () => {
  const subscription = subscribe();
  scene.simulator.webPush.unsubscribe(subscription);
  expect(await send(scene.webpush, browser(subscription))).toEqual({
    outcome: 'rejected',
    httpStatus: 410,
    reason: 'ExpiredSubscription',
  });
  const unknown = { ...subscription, endpoint: `${scene.simulator.urls.webPush}/push/nobody` };
  expect(await send(scene.webpush, browser(unknown))).toMatchObject({ outcome: 'rejected', httpStatus: 404 });
  const other = scene.simulator.webPush.subscribe(newVapidKey().publicKey);
  expect(await send(scene.webpush, browser(other))).toEqual({
    outcome: 'failed',
    httpStatus: 403,
    reason: 'VapidPkHashMismatch',
  });
  expect(await send(scene.webpush, { ...browser({}), token: 'nonsense' })).toMatchObject({
    outcome: 'failed',
  });
});

test('an endpoint in our own network is never reached', async () => {
  const subscription = subscribe();
  const egress = createEgress({ allowPrivate: false });
  const strict = createPushSender({
    egress,
    urls: scene.simulator.urls,
    allowPrivate: false,
    now: scene.now,
  });
  const targets: [PushCredentials, PushTarget][] = [
    [scene.webpush, browser(subscription)],
    [scene.webpush, browser({ ...subscription, endpoint: 'https://169.254.169.254/push/1' })],
    [scene.fcm, { ...oneSignal('t'), provider: 'FCM' }],
    [scene.apns, { platform: 'IOS', provider: 'APNS_VOIP', token: 'ab', sandbox: null }],
  ];
  try {
    for (const [credentials, to] of targets)
      expect(
        await strict.send(credentials, to, message('INCOMING', scene.now()), scene.within(5_000)),
      ).toEqual({
        outcome: 'failed',
        httpStatus: null,
        reason: 'AddressNotAllowed',
      });
  } finally {
    await strict.close();
    await egress.close();
  }
  expect(scene.simulator.inbox(JSON.stringify(subscription))).toEqual([]);
});

test('many messages to one push service share a few connections', async () => {
  const targets = Array.from({ length: 200 }, () => browser(subscribe()));
  const results = await Promise.all(targets.map((to) => send(scene.webpush, to)));
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['sent']));
  expect(scene.simulator.webPush.connections.mostOpen).toBeLessThan(targets.length / 2);
});

test('OneSignal wakes the app with data, and shows a missed call', async () => {
  const { appId } = scene.onesignal.settings;
  const token = scene.simulator.onesignal.addSubscription(appId);
  for (const kind of ['INCOMING', 'MISSED'] as const)
    expect(await send(scene.onesignal, oneSignal(token), message(kind, scene.now()))).toEqual({
      outcome: 'sent',
      httpStatus: 200,
    });
  const [incoming, missed] = await scene.simulator.received(token, 2);
  expect(pushPayload.parse(incoming?.data).type).toBe('call.incoming');
  expect(incoming?.body).toMatchObject({ priority: 10, content_available: true });
  expect(incoming?.body).not.toHaveProperty('contents');
  expect(missed?.body).toMatchObject({ headings: { en: 'Missed call' }, contents: { en: 'Grace' } });
});

test('OneSignal: a subscription that is unknown or turned off is rejected, and a wrong key fails without being repeated', async () => {
  const { simulator, onesignal } = scene;
  const token = simulator.onesignal.addSubscription(onesignal.settings.appId);
  simulator.onesignal.setSubscribed(token, false);
  expect(await send(onesignal, oneSignal(token))).toMatchObject({
    outcome: 'rejected',
    reason: 'not_subscribed',
  });
  simulator.onesignal.setSubscribed(token, true);
  expect(await send(onesignal, oneSignal(token))).toMatchObject({ outcome: 'sent' });
  expect(await send(onesignal, oneSignal('nobody'))).toMatchObject({
    outcome: 'rejected',
    reason: 'invalid_player_ids',
  });
  expect(await send({ ...onesignal, secret: 'wrong' }, oneSignal(token))).toEqual({
    outcome: 'failed',
    httpStatus: 403,
    reason: 'Access denied.',
  });
  expect(await send(scene.apns, oneSignal(token))).toMatchObject({ outcome: 'failed', httpStatus: null });
});
