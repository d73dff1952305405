import { SESSION_IDLE_MS, SESSION_MAX_MS } from '@clarion/core/session/session-limits';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { leaveReplaced } from '#lib/session/leave.ts';
import { launchedSession, makeStaff, signedIn, staffSession } from '../dashboard.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

let web: Web;
let key: string;
beforeAll(async () => {
  web = await startWeb();
  await web.runtime.ready;
  key = (await web.consumer('acme')).apiKey;
  await call('putTenant', { key, path: { tenantRef: 'shop' }, body: { name: 'Shop' } });
});
afterAll(() => web.stop());
beforeEach(() => web.setNow(null));

test('a session says who is signed in; an API key is nobody', async () => {
  const { session, sessionId, user } = await staffSession(web, 'acme', 'ADMIN');
  expect((await call('getMe', { session })).json.me).toEqual({
    kind: 'STAFF',
    sessionId,
    name: user.name,
    email: user.email,
    role: 'ADMIN',
    consumer: { slug: 'acme', name: 'acme', status: 'ACTIVE' },
    tenantRef: null,
    twoFactor: { enabled: false, required: false, recoveryCodesLeft: 0 },
  });
  const launched = await launchedSession(web, 'acme', 'shop', 'SUPERVISOR');
  expect((await call('getMe', launched)).json.me).toMatchObject({
    kind: 'LAUNCHED',
    email: null,
    role: 'SUPERVISOR',
    tenantRef: 'shop',
    twoFactor: null,
  });
  expectError(await call('getMe', { key }), 403, 'forbidden');
  expectError(await call('getMe'), 401, 'unauthorized');
  expectError(await call('getMe', { session: 'v1.nonsense.AAAA' }), 401, 'unauthorized');
});

test('a request that no page of ours made is refused, whatever its method', async () => {
  const { session } = await staffSession(web, 'acme');
  const cookie = `clarion-session=${session}`;
  const own = { cookie, 'x-clarion-dashboard': '1' };
  const refused: Record<string, string>[] = [
    { cookie },
    { ...own, origin: 'https://evil.example' },
    { ...own, origin: 'null' },
    { ...own, origin: 'http://127.0.0.1:3001' },
    { ...own, origin: 'https://127.0.0.1:3000' },
    { ...own, 'sec-fetch-site': 'cross-site' },
    { ...own, 'sec-fetch-site': 'same-site' },
  ];
  for (const headers of refused) {
    expectError(await call('listTenants', { headers }), 403, 'forbidden');
    expectError(
      await call('putTenant', { path: { tenantRef: 'new' }, body: { name: 'New' }, headers }),
      403,
      'forbidden',
    );
  }
  for (const headers of [
    own,
    { ...own, origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-origin' },
    { ...own, origin: 'http://localhost:3000', 'sec-fetch-site': 'none' },
  ]) {
    expect((await call('listTenants', { headers })).status).toBe(200);
  }
});

test('the Authorization header decides alone when there is one', async () => {
  const { session } = await staffSession(web, 'acme');
  expectError(await call('getMe', { session, key }), 403, 'forbidden');
  expectError(await call('getMe', { session, headers: { authorization: 'Bearer x' } }), 401, 'unauthorized');
});

test('a session ends after its idle time, and after its longest time however busy it is', async () => {
  const begin = Date.now();
  const { session } = await staffSession(web, 'acme');
  web.setNow(new Date(begin + SESSION_IDLE_MS - 60_000));
  expect((await call('getMe', { session })).status).toBe(200);
  web.setNow(new Date(begin + 2 * SESSION_IDLE_MS - 120_000));
  expect((await call('getMe', { session })).status).toBe(200);
  web.setNow(new Date(begin + 3 * SESSION_IDLE_MS));
  expectError(await call('getMe', { session }), 401, 'unauthorized');

  web.setNow(null);
  const busy = await staffSession(web, 'acme');
  const step = SESSION_IDLE_MS / 2;
  for (let at = step; at < SESSION_MAX_MS; at += step) {
    web.setNow(new Date(Date.now() + at));
    expect((await call('getMe', busy)).status).toBe(200);
  }
  web.setNow(new Date(Date.now() + SESSION_MAX_MS + 1000));
  expectError(await call('getMe', busy), 401, 'unauthorized');
});

test("somebody's sessions are listed, this one first, and each of them can be ended", async () => {
  const user = await makeStaff(web, 'acme', 'SUPERVISOR');
  const [first, second] = [await signedIn(web, user), await signedIn(web, user)];
  const { sessions } = (await call('listMySessions', first)).json;
  expect(sessions.map(({ id, current }) => ({ id, current }))).toEqual([
    { id: first.sessionId, current: true },
    { id: second.sessionId, current: false },
  ]);
  expect((await call('getMe', second)).status).toBe(200);
  const path = { sessionId: second.sessionId };
  expect((await call('deleteMySession', { ...first, path })).status).toBe(204);
  expectError(await call('getMe', second), 401, 'unauthorized');
  expectError(await call('deleteMySession', { ...first, path }), 404, 'not_found');
  expect((await call('listMySessions', first)).json.sessions).toHaveLength(1);
});

test('a session that another takes the place of in its browser ends, as by signing out, and no other does', async () => {
  const { db } = web.runtime;
  const user = await makeStaff(web, 'acme', 'ADMIN');
  const [here, there, old] = [
    await signedIn(web, user),
    await signedIn(web, user),
    await signedIn(web, user),
  ];
  const replace = (cookie: string) =>
    leaveReplaced(web.runtime, new Request('http://localhost/', { headers: { cookie } }));
  const revoked = async () => {
    const where = { staffUserId: user.id, revokedAt: { not: null } };
    return (await db.dashboardSession.findMany({ where })).map(({ id }) => id);
  };
  expect((await call('getMe', here)).status).toBe(200);
  for (const cookie of [
    '',
    'clarion-session=',
    'clarion-session=v1.nonsense.AAAA',
    `other=${here.session}`,
  ]) {
    await replace(cookie);
  }
  web.setNow(new Date(Date.now() + SESSION_IDLE_MS));
  await replace(`clarion-session=${old.session}`);
  expect(await revoked(), 'one that was over is left as it is').toEqual([]);

  web.setNow(null);
  await Promise.all([1, 2].map(() => replace(`theme=dark; clarion-session=${here.session}`)));
  expect(await revoked()).toEqual([here.sessionId]);
  expectError(await call('getMe', here), 401, 'unauthorized');
  expect((await call('getMe', there)).status).toBe(200);
  const launched = await launchedSession(web, 'acme', 'shop', 'ADMIN');
  await replace(`clarion-session=${launched.session}`);
  const entries = await db.auditEntry.findMany({
    where: { action: 'session.sign_out' },
    orderBy: { id: 'asc' },
  });
  expect(entries).toMatchObject([
    { target: String(here.sessionId), actorId: String(user.id), tenantId: null, details: { replaced: true } },
    { target: String(launched.sessionId), actorKind: 'launchedUser', tenantId: expect.any(Number) },
  ]);
});

test("nobody sees or ends another's session", async () => {
  const other = await staffSession(web, 'acme');
  const launched = await launchedSession(web, 'acme', 'shop', 'ADMIN');
  const path = { sessionId: other.sessionId };
  for (const who of [await staffSession(web, 'acme'), launched]) {
    expectError(await call('deleteMySession', { ...who, path }), 404, 'not_found');
    const { sessions } = (await call('listMySessions', who)).json;
    expect(sessions.map(({ id }) => id)).toEqual([who.sessionId]);
  }
  expect((await call('getMe', other)).status).toBe(200);
});

test('a session that was ended elsewhere, a role that changed and a disabled person are heard of at once', async () => {
  const { db } = web.runtime;
  const { session, sessionId, user } = await staffSession(web, 'acme', 'OWNER');
  expect((await call('listApiKeys', { session })).status).toBe(200);
  await db.staffUser.update({ where: { id: user.id }, data: { role: 'ADMIN' } });
  await expect.poll(async () => (await call('listApiKeys', { session })).status).toBe(403);
  await db.staffUser.update({ where: { id: user.id }, data: { disabledAt: new Date() } });
  await expect.poll(async () => (await call('getMe', { session })).status).toBe(401);
  await db.staffUser.update({ where: { id: user.id }, data: { disabledAt: null } });
  await expect.poll(async () => (await call('getMe', { session })).status).toBe(200);
  await db.dashboardSession.update({ where: { id: sessionId }, data: { revokedAt: new Date() } });
  await expect.poll(async () => (await call('getMe', { session })).status).toBe(401);
});

test('a suspended account lets nobody in, and says so', async () => {
  await web.consumer('late');
  const { session } = await staffSession(web, 'late');
  expect((await call('getMe', { session })).status).toBe(200);
  await web.changeConsumer('late', { status: 'SUSPENDED' });
  web.runtime.sessions.forgetAll();
  expectError(await call('getMe', { session }), 403, 'consumer_suspended');
});

test("people at the dashboard do not use up the backend's requests", async () => {
  const { session } = await staffSession(web, 'acme');
  const before = Number((await call('listTenants', { key })).headers.get('x-ratelimit-remaining'));
  const { headers } = await call('listTenants', { session });
  expect(headers.get('x-ratelimit-limit')).toBe('600');
  const after = Number((await call('listTenants', { key })).headers.get('x-ratelimit-remaining'));
  expect(after).toBe(before - 1);
});
