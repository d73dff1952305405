import { purgeSessions } from '@clarion/core/session/purge-sessions';
import { launch } from '@clarion/core/session/launch';
import { auditRefusedLaunch } from '@clarion/core/session/refused-launch';
import type { OpenedSession } from '@clarion/core/session/open-session';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refusedLaunchBucket } from '#lib/api/rate-limit.ts';
import { anonymous } from '#lib/session/auth-options.ts';
import { sealSession } from '#lib/api/session-cookie.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

let web: Web;
let key: string;
let signing: { kid: string; secret: string };
beforeAll(async () => {
  web = await startWeb();
  await web.runtime.ready;
  const made = await web.consumer('acme');
  key = made.apiKey;
  signing = made.signingKey;
  for (const tenantRef of ['shop', 'other']) {
    await call('putTenant', { key, path: { tenantRef }, body: { name: tenantRef } });
  }
});
afterAll(() => web.stop());

const seconds = () => Math.floor(web.runtime.now().getTime() / 1000);
let jtis = 0;
/** A good token, but for what is given; undefined leaves a claim out. */
function token(claims: Record<string, unknown> = {}, by = signing): Promise<string> {
  jtis += 1;
  const all = {
    iss: 'acme',
    aud: 'clarion-dashboard',
    tnt: 'shop',
    sub: 'user-7',
    name: 'Grace',
    role: 'SUPERVISOR',
    jti: `jti-${jtis}`,
    iat: seconds(),
    exp: seconds() + 300,
    ...claims,
  };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return new SignJWT(given)
    .setProtectedHeader({ alg: 'HS256', kid: by.kid })
    .sign(new TextEncoder().encode(by.secret));
}
const device = { userAgent: null, address: '192.0.2.1' };
const open = (given: string): Promise<OpenedSession> => launch(anonymous(web.runtime), given, device);
const cookieOf = ({ secret }: OpenedSession): string => sealSession(web.runtime.secrets, secret);

test('somebody launched sees their tenant, by the name their product gave, and no other', async () => {
  const session = cookieOf(await open(await token()));
  expect((await call('getMe', { session })).json.me).toMatchObject({
    kind: 'LAUNCHED',
    name: 'Grace',
    role: 'SUPERVISOR',
    tenantRef: 'shop',
  });
  expect((await call('listAgents', { session, path: { tenantRef: 'shop' } })).status).toBe(200);
  expectError(await call('listAgents', { session, path: { tenantRef: 'other' } }), 404, 'not_found');
  expectError(await call('listTenants', { session }), 403, 'forbidden');
  const [entry] = await web.runtime.db.auditEntry.findMany({ where: { action: 'session.launch' } });
  expect(entry).toMatchObject({ actorKind: 'launchedUser', actorId: 'user-7', actorName: 'Grace' });
});

test('of a hundred tries with one token at once, one is let in', async () => {
  const given = await token({ role: 'ADMIN' });
  const before = await web.runtime.db.dashboardSession.count();
  const tries = await Promise.allSettled(Array.from({ length: 100 }, () => open(given)));
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await web.runtime.db.dashboardSession.count()).toBe(before + 1);
  await expect(open(given)).rejects.toMatchObject({ code: 'unauthorized' });
});

test('a token that breaks a rule opens nothing', async () => {
  const broken: Record<string, Record<string, unknown>> = {
    'no audience': { aud: undefined },
    "an agent's audience": { aud: 'clarion' },
    'no tenant': { tnt: undefined },
    'a tenant that is none': { tnt: 'none' },
    'no user': { sub: undefined },
    'no role': { role: undefined },
    'an owner': { role: 'OWNER' },
    'an agent': { role: 'AGENT' },
    'no jti': { jti: undefined },
    'an empty jti': { jti: ' ' },
    'a jti that is a number': { jti: 7 },
    'no iat': { iat: undefined },
    'an iat in the future': { iat: seconds() + 120, exp: seconds() + 300 },
    'six minutes': { exp: seconds() + 360 },
    'an old one': { iat: seconds() - 301, exp: seconds() - 1 },
    'another account': { iss: 'nobody' },
  };
  const before = await web.runtime.db.dashboardSession.count();
  for (const [what, claims] of Object.entries(broken)) {
    await expect(open(await token(claims)), what).rejects.toMatchObject({ code: 'unauthorized' });
  }
  const forged = { kid: signing.kid, secret: 'x'.repeat(43) };
  await expect(open(await token({}, forged))).rejects.toMatchObject({ code: 'unauthorized' });
  for (const nonsense of ['', 'a.b.c', 'x'.repeat(9000)]) {
    await expect(open(nonsense)).rejects.toMatchObject({ code: 'unauthorized' });
  }
  expect(await web.runtime.db.dashboardSession.count()).toBe(before);
});

test('two accounts may use the same jti', async () => {
  const other = await web.consumer('twin');
  await call('putTenant', { key: other.apiKey, path: { tenantRef: 'shop' }, body: { name: 'Shop' } });
  const jti = 'the-same';
  await open(await token({ jti }));
  await open(await token({ jti, iss: 'twin' }, other.signingKey));
  await expect(open(await token({ jti }))).rejects.toMatchObject({ code: 'unauthorized' });
});

test('a launched session ends with the key that signed it, and with its tenant', async () => {
  const { json } = await call('createSigningKey', { key, body: { kid: 'second' } });
  const second = { kid: 'second', secret: json.secret };
  const session = cookieOf(await open(await token({}, second)));
  const stays = cookieOf(await open(await token({ tnt: 'other' })));
  expect((await call('getMe', { session })).status).toBe(200);
  await call('deleteSigningKey', { key, path: { kid: 'second' } });
  await expect.poll(async () => (await call('getMe', { session })).status).toBe(401);
  expect((await call('getMe', { session: stays })).status).toBe(200);
  const path = { tenantRef: 'other' };
  await call('putTenant', { key, path, body: { name: 'other', status: 'SUSPENDED' } });
  expect((await call('deleteTenant', { key, path })).status).toBe(204);
  await expect.poll(async () => (await call('getMe', { session: stays })).status).toBe(401);
});

test('a suspended account launches nobody', async () => {
  const { signingKey } = await web.consumer('third');
  await web.changeConsumer('third', { status: 'SUSPENDED' });
  const given = await token({ iss: 'third' }, signingKey);
  await expect(open(given)).rejects.toMatchObject({ code: 'consumer_suspended' });
});

test('a used token is remembered for longer than any clock that is behind would take it', async () => {
  const { db } = web.runtime;
  await open(await token({ jti: 'remembered' }));
  const after = (minutes: number) => new Date(web.runtime.now().getTime() + minutes * 60_000);
  const known = () => db.launchTokenUse.count({ where: { jti: 'remembered' } });
  await purgeSessions(db, after(10));
  expect(await known()).toBe(1);
  await purgeSessions(db, after(120));
  expect(await known()).toBe(0);
});

test('a refused token is told to the account that signed it, one a minute, and of a forged one nobody is told', async () => {
  const { db, rateLimiter } = web.runtime;
  const { apiKey, signingKey } = await web.consumer('told');
  await call('putTenant', { key: apiKey, path: { tenantRef: 'shop' }, body: { name: 'Shop' } });
  const { id: consumerId } = await db.consumer.findUniqueOrThrow({ where: { slug: 'told' } });
  const rule = 'The token has expired.';
  const mayTell = async (id: number) =>
    (await rateLimiter.take(refusedLaunchBucket(id), web.runtime.now())).allowed;
  const tell = (given: string) =>
    auditRefusedLaunch(anonymous(web.runtime), { token: given, rule, device }, mayTell);
  const told = () =>
    db.auditEntry.findMany({ where: { action: 'session.refuse_launch' }, orderBy: { id: 'asc' } });

  web.setNow(new Date(Date.UTC(2027, 5, 1, 9)));
  const old = { iss: 'told', iat: seconds() - 301, exp: seconds() - 1 };
  for (const forged of [
    await token(old, { kid: signingKey.kid, secret: 'x'.repeat(43) }),
    await token(old, signing),
    await token({ ...old, iss: 'nobody' }, signingKey),
    `${(await token(old, signingKey)).split('.').slice(0, 2).join('.')}.`,
    'a.b.c',
  ]) {
    await tell(forged);
  }
  expect(await told()).toEqual([]);

  const expired = await token(old, signingKey);
  await tell(expired);
  await Promise.all([tell(expired), tell(await token({ ...old, jti: 'another' }, signingKey))]);
  expect(await told()).toMatchObject([
    {
      consumerId,
      target: 'user-7',
      actorKind: 'launchedUser',
      actorName: 'Grace',
      tenantId: expect.any(Number),
      details: { rule, address: device.address },
    },
  ]);
  web.setNow(new Date(web.runtime.now().getTime() + 60_000));
  await tell(await token({ ...old, sub: 'a\0b', name: 7, tnt: ['shop'] }, signingKey));
  web.setNow(null);
  expect((await told()).slice(1)).toMatchObject([{ consumerId, target: 'unknown', tenantId: null }]);
});
