import { randomBytes } from 'node:crypto';
import { newVapidKey } from '@clarion/core/push/private-key';
import type { Ctx } from '@clarion/core/context';
import { putPushToken } from '@clarion/core/push/put-push-token';
import { MAX_PUSH_DEVICES_PER_AGENT } from '@clarion/core/push/store-push-token';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { readWebPushSubscription } from '@clarion/protocol/v1/tenant/push';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Realtime } from '../src/server.ts';
import { MASTER_KEY, RealtimeFixture } from './fixture.ts';

const POINT_BYTES = 65;
const AUTH_BYTES = 16;

let fixture: RealtimeFixture;
let node: Realtime & { url: string };
const { publicKey, privateKey } = newVapidKey();
const secrets = createSecretBox([MASTER_KEY]);

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  node = await fixture.startNode();
});
afterAll(() => fixture.close());

beforeEach(async () => {
  await fixture.db.pushToken.deleteMany();
  await fixture.db.auditEntry.deleteMany();
  await fixture.db.pushCredential.deleteMany();
  await fixture.db.pushCredential.create({
    data: {
      consumerId: fixture.consumer.id,
      provider: 'webpush',
      settings: { subject: 'mailto:ops@example.com', publicKey },
      secretSealed: secrets.seal('push-credentials', privateKey),
    },
  });
});

const subscription = (endpoint = 'https://push.example.com/send/1') => ({
  endpoint,
  keys: {
    p256dh: randomBytes(POINT_BYTES).toString('base64url'),
    auth: randomBytes(AUTH_BYTES).toString('base64url'),
  },
});
const tokensOf = (ref: string) => fixture.db.pushToken.findMany({ where: { agent: { ref } } });
const isWakeable = async (ref: string) =>
  (await fixture.db.agent.findFirstOrThrow({ where: { ref } })).wakeable;

test('the session has the key of the account, or null', async () => {
  const app = await fixture.app(node, 'keyed');
  expect(await app.session()).toMatchObject({ webPushKey: publicKey });
  await fixture.db.pushCredential.deleteMany();
  app.clearReceived();
  await app.ask('resync', {});
  expect(await app.session()).toMatchObject({ webPushKey: null });
  app.close();
});

test('a browser subscribes for its device, which makes the agent reachable, and unsubscribes', async () => {
  const app = await fixture.app(node, 'ada', 'browser');
  const given = subscription();
  await app.ask('push:subscribe', { subscription: given });
  const [token] = await tokensOf('ada');
  expect(token).toMatchObject({ deviceId: 'browser', platform: 'WEB', provider: 'WEB_PUSH' });
  expect(readWebPushSubscription(secrets.open('push-token', token?.tokenSealed ?? ''))).toEqual(given);
  expect(await isWakeable('ada')).toBe(true);

  await app.ask('push:unsubscribe', {});
  await app.ask('push:unsubscribe', {});
  expect(await tokensOf('ada')).toEqual([]);
  expect(await isWakeable('ada')).toBe(false);
  const { id } = await fixture.db.agent.findFirstOrThrow({ where: { ref: 'ada' } });
  const audited = await fixture.db.auditEntry.findMany({ orderBy: { id: 'asc' } });
  expect(audited).toMatchObject([
    { action: 'push_token.put', actorKind: 'agent', actorId: String(id), surface: 'socket', target: 'ada' },
    { action: 'push_token.delete', actorKind: 'agent', details: { deviceId: 'browser', tokens: 1 } },
  ]);
  app.close();
});

test('unsubscribing leaves the tokens of other devices and providers', async () => {
  const [desk, laptop] = [
    await fixture.app(node, 'eve', 'desk'),
    await fixture.app(node, 'eve', 'laptop'),
  ] as const;
  await desk.ask('push:subscribe', { subscription: subscription('https://push.example.com/desk') });
  await laptop.ask('push:subscribe', { subscription: subscription('https://push.example.com/laptop') });
  await fixture.db.pushToken.updateMany({ where: { deviceId: 'laptop' }, data: { provider: 'FCM' } });
  await laptop.ask('push:unsubscribe', {});
  await desk.ask('push:unsubscribe', {});
  expect(await tokensOf('eve')).toMatchObject([{ deviceId: 'laptop', provider: 'FCM' }]);
  desk.close();
  laptop.close();
});

test('an unchanged subscription is not audited again, and one that was rejected counts again', async () => {
  const app = await fixture.app(node, 'gus');
  const given = subscription();
  await app.ask('push:subscribe', { subscription: given });
  await app.ask('push:subscribe', { subscription: given });
  expect(await fixture.db.auditEntry.count()).toBe(1);
  await fixture.db.pushToken.updateMany({ data: { rejectedAt: new Date() } });
  expect(await isWakeable('gus')).toBe(false);
  await app.ask('push:subscribe', { subscription: given });
  expect(await isWakeable('gus')).toBe(true);
  app.close();
});

test('a browser that another agent signs in to rings only that agent', async () => {
  const [first, second] = [
    await fixture.app(node, 'hal', 'shared'),
    await fixture.app(node, 'ida', 'shared'),
  ] as const;
  const given = subscription();
  await first.ask('push:subscribe', { subscription: given });
  await second.ask('push:subscribe', { subscription: given });
  expect(await tokensOf('hal')).toEqual([]);
  expect(await tokensOf('ida')).toHaveLength(1);
  first.close();
  second.close();
});

test('a subscription that the API registered for another agent moves, however it was written', async () => {
  const app = await fixture.app(node, 'max');
  const other = await fixture.agent('ned');
  const given = subscription();
  const ctx = {
    ...{ db: fixture.db, secrets, now: new Date(), consumer: fixture.consumer },
    ...({ actor: { kind: 'apiKey', id: 1 }, surface: 'api' } as const),
    settings: { allowPrivateEgress: true },
  };
  const token = JSON.stringify({ expirationTime: null, keys: given.keys, endpoint: given.endpoint }, null, 2);
  await putPushToken(
    ctx as unknown as Ctx,
    { tenantRef: fixture.tenant.ref, agentRef: other.ref, deviceId: 'browser' },
    { platform: 'WEB', provider: 'WEB_PUSH', token },
  );
  expect(await tokensOf('ned')).toHaveLength(1);
  await app.ask('push:subscribe', { subscription: given });
  expect(await tokensOf('ned')).toEqual([]);
  app.close();
});

test('an agent with the maximum number of devices loses the one that registered the longest ago', async () => {
  const app = await fixture.app(node, 'jim', 'newest');
  const { id: agentId } = await fixture.db.agent.findFirstOrThrow({ where: { ref: 'jim' } });
  await fixture.db.pushToken.createMany({
    data: Array.from({ length: MAX_PUSH_DEVICES_PER_AGENT }, (_, index) => {
      const at = new Date(Date.now() - (index + 1) * 1000);
      const token = { tokenSealed: 'sealed', tokenHash: `hash ${index}`, createdAt: at, updatedAt: at };
      return { agentId, deviceId: `device ${index}`, platform: 'WEB', provider: 'WEB_PUSH', ...token };
    }),
  });
  await app.ask('push:subscribe', { subscription: subscription() });
  const devices = (await tokensOf('jim')).map(({ deviceId }) => deviceId);
  expect(devices).toHaveLength(MAX_PUSH_DEVICES_PER_AGENT);
  expect(devices).toContain('newest');
  expect(devices).not.toContain(`device ${MAX_PUSH_DEVICES_PER_AGENT - 1}`);
  app.close();
});

test('what is no subscription is rejected, and so is every subscription if the account has not set up web push', async () => {
  const app = await fixture.app(node, 'kim');
  const send = (payload: unknown) => app.socket.timeout(5_000).emitWithAck('push:subscribe', payload);
  for (const [payload, field] of [
    [{}, 'subscription'],
    [{ subscription: { ...subscription(), endpoint: 'ftp://push.example.com' } }, 'subscription.endpoint'],
    [{ subscription: { endpoint: 'https://push.example.com/1' } }, 'subscription.keys'],
    [{ subscription: { ...subscription(), keys: { p256dh: 'x', auth: 'y' } } }, 'subscription.keys.p256dh'],
  ] as const)
    expect(await send(payload)).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', details: { field } },
    });
  await fixture.db.pushCredential.deleteMany();
  expect(await send({ subscription: subscription() })).toMatchObject({
    ok: false,
    error: { code: 'invalid_state', message: 'The account has not set up web push.' },
  });
  expect(await tokensOf('kim')).toEqual([]);
  app.close();
});

test('an endpoint that is not public is rejected', async () => {
  const strict = await fixture.startNode({ allowPrivateEgress: false });
  const app = await fixture.app(strict, 'lea');
  for (const endpoint of ['http://push.example.com/1', 'https://127.0.0.1/1', 'https://169.254.169.254/'])
    expect(
      await app.socket.timeout(5_000).emitWithAck('push:subscribe', { subscription: subscription(endpoint) }),
    ).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', details: { field: 'subscription.endpoint' } },
    });
  expect(await tokensOf('lea')).toEqual([]);
  app.close();
  await strict.stop();
});
