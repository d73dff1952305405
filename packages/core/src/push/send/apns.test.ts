/** VoIP pushes against a simulator of APNs that speaks HTTP/2. */
import { randomUUID } from 'node:crypto';
import type { ConnectionEnd } from '@clarion/push-simulator';
import { pushPayload } from '@clarion/protocol/push-payload';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { PushMessage, PushResult, PushTarget } from '../push-message.ts';
import { BUNDLE_ID, iphone, message, newEcKey, startPushScene } from './__fixtures__/push-scene.ts';
import type { PushScene } from './__fixtures__/push-scene.ts';
import type { CredentialsOf } from './push-sender.ts';

const MINUTE_MS = 60_000;

let scene: PushScene;
beforeAll(async () => {
  scene = await startPushScene();
});
afterAll(() => scene.stop());
afterEach(() => {
  expect(scene.errors).toEqual([]);
  scene.reset();
});

const newDevice = (sandbox = false) => scene.simulator.apns.addDevice({ bundleId: BUNDLE_ID, sandbox });
const send = (
  to: PushTarget,
  what: PushMessage = message('INCOMING', scene.now()),
  { as = scene.apns, ms = 5_000 }: { as?: CredentialsOf<'apns'>; ms?: number } = {},
) => scene.sender.send(as, to, what, scene.within(ms));
const sent = { outcome: 'sent', httpStatus: 200, sandbox: false };

test('an incoming call reaches the device as a VoIP push, with what the app needs', async () => {
  const token = newDevice();
  const incoming = message('INCOMING', scene.now());
  expect(await send(iphone(token), incoming)).toEqual(sent);
  const [received] = await scene.simulator.received(token);
  expect(received?.headers).toMatchObject({
    'apns-topic': `${BUNDLE_ID}.voip`,
    'apns-push-type': 'voip',
    'apns-priority': '10',
    'apns-expiration': '0',
    'apns-id': incoming.pushId,
  });
  expect(received?.body).toMatchObject({ aps: {} });
  expect(pushPayload.parse(received?.data)).toEqual({
    type: 'call.incoming',
    pushId: incoming.pushId,
    callId: '981',
    tenantRef: 'north',
    agentRef: 'ada',
    channelRef: 'main',
    callerAddress: '+442071838750',
    callerName: 'Grace',
    assignmentType: 'QUEUE',
    sentAt: incoming.sentAt.toISOString(),
    expiresAt: incoming.expiresAt.toISOString(),
  });
});

test('nothing but a new call is ever sent as a VoIP push', async () => {
  const token = newDevice();
  for (const kind of ['WITHDRAWN', 'MISSED'] as const)
    expect(await send(iphone(token), message(kind, scene.now()))).toMatchObject({
      outcome: 'failed',
      httpStatus: null,
    });
  expect(scene.simulator.inbox(token)).toEqual([]);
});

test('a test shows whether the credentials work and reaches no device', async () => {
  const token = newDevice();
  const probe = () => message('TEST', scene.now());
  expect(await send(iphone(token), probe())).toEqual({ outcome: 'sent', httpStatus: 400, sandbox: false });
  const wrong = { ...scene.apns, secret: newEcKey() };
  expect(await send(iphone(token), probe(), { as: wrong })).toEqual({
    outcome: 'failed',
    httpStatus: 403,
    reason: 'InvalidProviderToken',
  });
  const otherApp = { ...scene.apns, settings: { ...scene.apns.settings, bundleId: 'com.example.other' } };
  expect(await send(iphone(token), probe(), { as: otherApp })).toMatchObject({ reason: 'TopicDisallowed' });
  expect(scene.simulator.inbox(token)).toEqual([]);
});

test('an unregistered token is rejected, and accepted after the app is installed again', async () => {
  const token = newDevice();
  scene.simulator.apns.setRegistered(token, false);
  expect(await send(iphone(token))).toEqual({
    outcome: 'rejected',
    httpStatus: 410,
    reason: 'Unregistered',
  });
  scene.simulator.apns.setRegistered(token, true);
  expect(await send(iphone(token))).toEqual(sent);
});

test('an unknown token is tried in the other environment, whose name is returned', async () => {
  const [production, sandbox] = [newDevice(), newDevice(true)];
  expect(await send(iphone(sandbox))).toEqual({ ...sent, sandbox: true });
  expect(await send(iphone(sandbox, true))).toEqual({ ...sent, sandbox: true });
  expect(await send(iphone(production, true))).toEqual(sent);
  expect(scene.simulator.inbox(sandbox)).toHaveLength(2);
  for (const nowhere of ['ab'.repeat(32), 'not hex/../../', '%00'])
    expect(await send(iphone(nowhere))).toEqual({
      outcome: 'rejected',
      httpStatus: 400,
      reason: 'BadDeviceToken',
    });
});

test('the provider token is reused for 50 minutes and then replaced', async () => {
  const token = newDevice();
  await send(iphone(token));
  const tokens = scene.simulator.apns.providerTokens;
  const before = tokens.length;
  scene.advance(49 * MINUTE_MS);
  await send(iphone(token));
  expect(tokens).toHaveLength(before);
  scene.advance(2 * MINUTE_MS);
  expect(await send(iphone(token))).toEqual(sent);
  expect(tokens).toHaveLength(before + 1);
});

/** Twenty sends at once, 35 minutes after the provider token was issued, while Apple's clock differs from ours. */
async function sendWithSkew(own: PushScene, skewMs: number): Promise<PushResult[]> {
  const token = own.simulator.apns.addDevice({ bundleId: BUNDLE_ID });
  const sendIt = () =>
    own.sender.send(own.apns, iphone(token), message('INCOMING', own.now()), own.within(5_000));
  expect(await sendIt()).toEqual(sent);
  own.advance(35 * MINUTE_MS);
  own.simulator.apns.clockOffsetMs += skewMs;
  return Promise.all(Array.from({ length: 20 }, sendIt));
}

test("Apple's clock is ahead: a provider token that it considers expired is replaced once for all sends", async () => {
  const own = await startPushScene();
  try {
    const results = await sendWithSkew(own, 30 * MINUTE_MS);
    expect(results).toEqual(results.map(() => sent));
    expect(own.simulator.apns.providerTokens).toHaveLength(2);
  } finally {
    await own.stop();
  }
});

test("Apple's clock is behind: a new provider token is of no help, and no more of them are made", async () => {
  const own = await startPushScene();
  try {
    const results = await sendWithSkew(own, -40 * MINUTE_MS);
    const failed = { outcome: 'failed', httpStatus: 403, reason: 'ExpiredProviderToken' };
    expect(results).toEqual(results.map(() => failed));
    expect(own.simulator.apns.expiredTokens.size).toBe(2);
  } finally {
    await own.stop();
  }
});

test('a replaced key is used at once', async () => {
  const token = newDevice();
  const stolen = { ...scene.apns, secret: newEcKey() };
  expect(await send(iphone(token), undefined, { as: stolen })).toMatchObject({ outcome: 'failed' });
  expect(await send(iphone(token))).toEqual(sent);
});

test('a busy APNs is tried again when it asks for it', async () => {
  const token = newDevice();
  for (const [status, reason] of [
    [429, 'TooManyRequests'],
    [503, 'Shutdown'],
  ] as const) {
    const effect = { kind: 'respond', status, body: { reason }, headers: { 'retry-after': '2' } } as const;
    scene.simulator.apns.faults.add({ effect });
    const expected = { outcome: 'retry', httpStatus: status, reason, retryAfterMs: 2_000 };
    expect(await send(iphone(token))).toEqual(expected);
  }
});

test('a send ends at its deadline, and one that comes too late is not begun', async () => {
  const token = newDevice();
  scene.simulator.apns.faults.add({ effect: { kind: 'silence' } });
  const before = performance.now();
  const timeout = { outcome: 'retry', httpStatus: null, reason: 'Timeout' };
  expect(await send(iphone(token), undefined, { ms: 100 })).toEqual(timeout);
  expect(performance.now() - before).toBeLessThan(1_000);
  expect(await send(iphone(token), undefined, { ms: -1 })).toEqual(timeout);
  const old = message('INCOMING', new Date(scene.now().getTime() - MINUTE_MS));
  expect(await send(iphone(token), old)).toMatchObject({ outcome: 'retry', reason: 'Expired' });
  expect(scene.simulator.inbox(token)).toEqual([]);
  expect(await send(iphone(token))).toEqual(sent);
});

test('a long response is not read to its end', async () => {
  const token = newDevice();
  const effect = { kind: 'respond', status: 400, body: { reason: 'x'.repeat(100_000) } } as const;
  scene.simulator.apns.faults.add({ effect });
  expect(await send(iphone(token))).toEqual({ outcome: 'failed', httpStatus: 400, reason: 'HTTP_400' });
});

test('a server that is not there is tried again later', async () => {
  const gone = await startPushScene();
  await gone.simulator.close();
  try {
    await gone.sender.prepare(gone.apns, iphone('ab'));
    const result = await gone.sender.send(gone.apns, iphone('ab'), message('INCOMING'), gone.within(2_000));
    expect(result).toEqual({ outcome: 'retry', httpStatus: null, reason: 'ECONNREFUSED' });
  } finally {
    await gone.sender.close();
  }
});

// ---------------------------------------------------------------- many devices of one offer

const DEVICES = 1_000;

/** As the worker does: what may succeed later is sent again. */
async function sendToAll(
  { sender, apns, simulator, now, within }: PushScene,
  onRetry: (result: PushResult) => void = () => {},
) {
  const devices = Array.from({ length: DEVICES }, () => simulator.apns.addDevice({ bundleId: BUNDLE_ID }));
  const results = await Promise.all(
    devices.map(async (token) => {
      const incoming = message('INCOMING', now(), { pushId: randomUUID() });
      for (;;) {
        const result = await sender.send(apns, iphone(token), incoming, within(8_000));
        if (result.outcome !== 'retry') return result;
        onRetry(result);
      }
    }),
  );
  expect(results).toEqual(results.map(() => sent));
  return devices;
}

test('1,000 devices of one offer receive it within 2 s over one connection, and the first request goes alone', async () => {
  const own = await startPushScene();
  try {
    const { connections } = own.simulator.apns;
    const before = performance.now();
    const devices = await sendToAll(own);
    const ms = performance.now() - before;
    expect(ms).toBeLessThan(2_000);
    expect(devices.every((token) => own.simulator.inbox(token).length === 1)).toBe(true);
    expect(connections).toMatchObject({ opened: 1, earlyRequests: 1 });
  } finally {
    await own.stop();
  }
});

test('GOAWAY in the middle of a burst: every device receives the call once', async () => {
  const own = await startPushScene();
  try {
    const { connections } = own.simulator.apns;
    connections.end = { kind: 'goaway', after: 400 };
    const retried: PushResult[] = [];
    const devices = await sendToAll(own, (result) => retried.push(result));
    expect(devices.map((token) => own.simulator.inbox(token).length)).toEqual(devices.map(() => 1));
    expect(connections.opened).toBeGreaterThanOrEqual(3);
    expect(retried).toEqual([]);
  } finally {
    await own.stop();
  }
});

const INTERNAL_ERROR = 2;
test.each<[string, ConnectionEnd]>([
  ['a lost connection', { kind: 'drop', after: 400 }],
  ['GOAWAY with an error', { kind: 'goaway', after: 400, errorCode: INTERNAL_ERROR }],
])(
  '%s in the middle of a burst: sends without an answer may be repeated, and every device receives the call',
  async (_, end) => {
    const own = await startPushScene();
    try {
      const { connections } = own.simulator.apns;
      connections.end = end;
      const retried: PushResult[] = [];
      const devices = await sendToAll(own, (result) => {
        connections.end = null;
        retried.push(result);
      });
      // The app recognises a repetition by its pushId.
      for (const token of devices)
        expect(new Set(own.simulator.inbox(token).map(({ data }) => data['pushId'])).size).toBe(1);
      expect(retried.length).toBeGreaterThan(0);
      // Those that waited for a free stream were sent on the next connection.
      expect(retried.length).toBeLessThan(DEVICES);
      expect(retried[0]).toMatchObject({ outcome: 'retry', httpStatus: null });
    } finally {
      await own.stop();
    }
  },
);
