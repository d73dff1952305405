import { launch } from '@clarion/core/session/launch';
import { hashPassword } from '@clarion/core/staff/password';
import { trySignIn } from '@clarion/core/staff/sign-in';
import type { Tx } from '@clarion/db';
import { signToken } from '@clarion/testkit/stack/token';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anonymous } from '#lib/session/auth-options.ts';
import { makeStaff, PASSWORD, staffSession } from '../dashboard.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

/** What changes while somebody is being let in: each test changes it between the look at the person and the door. */
let web: Web;
let signing: { kid: string; secret: string };
beforeAll(async () => {
  web = await startWeb();
  await web.runtime.ready;
  const { apiKey, signingKey } = await web.consumer('acme');
  signing = signingKey;
  await call('putTenant', { key: apiKey, path: { tenantRef: 'shop' }, body: { name: 'Shop' } });
});
afterAll(() => web.stop());

const device = { userAgent: null, address: '192.0.2.1' };
const isWaiting = async (): Promise<boolean> => {
  const rows = await web.runtime.db.$queryRaw<unknown[]>`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return rows.length > 0;
};

/** Makes a change, lets `attempt` run into its locks, and only then commits. */
async function meanwhile<T>(change: (tx: Tx) => Promise<unknown>, attempt: () => Promise<T>): Promise<T> {
  const attempted = await web.runtime.db.$transaction(async (tx) => {
    await change(tx);
    const running = attempt();
    running.catch(() => undefined); // looked at below
    await expect.poll(isWaiting, { interval: 20 }).toBe(true);
    return { running };
  });
  return attempted.running;
}
const sessionsOf = (staffUserId: number): Promise<number> =>
  web.runtime.db.dashboardSession.count({ where: { staffUserId, revokedAt: null } });

test.for<[string, (id: number) => Promise<Parameters<Tx['staffUser']['update']>[0]['data']>]>([
  ['has a new password', async () => ({ passwordHash: await hashPassword('another harbour lantern 8') })],
  ['was disabled', async () => ({ disabledAt: new Date() })],
  ['has turned two factors on', async () => ({ totpConfirmedAt: new Date() })],
])('somebody who %s meanwhile is not let in by what was true before', async ([, change]) => {
  const { id, email } = await makeStaff(web, 'acme');
  const data = await change(id);
  const result = await meanwhile(
    (tx) => tx.staffUser.update({ where: { id }, data }),
    () => trySignIn(anonymous(web.runtime), { email, password: PASSWORD, code: null }, device),
  );
  expect(result).toEqual({ refused: 'wrong' });
  expect(await sessionsOf(id)).toBe(0);
});

test('a launch whose key is revoked meanwhile opens nothing', async () => {
  const { db } = web.runtime;
  const now = Math.floor(web.runtime.now().getTime() / 1000);
  const who = { iss: 'acme', tnt: 'shop', sub: 'user-7', role: 'ADMIN', jti: 'meanwhile' };
  const token = signToken(signing, { ...who, aud: 'clarion-dashboard', iat: now, exp: now + 300 });
  const { id } = await db.signingKey.findFirstOrThrow({ where: { kid: signing.kid } });
  const opening = meanwhile(
    (tx) => tx.signingKey.update({ where: { id }, data: { revokedAt: new Date() } }),
    () => launch(anonymous(web.runtime), token, device),
  );
  await expect(opening).rejects.toMatchObject({ code: 'unauthorized' });
  expect(await db.dashboardSession.count({ where: { signingKeyId: id } })).toBe(0);
  expect(await db.launchTokenUse.count({ where: { jti: 'meanwhile' } })).toBe(0);
});

test('a seed that was confirmed meanwhile is not replaced', async () => {
  const { session, user } = await staffSession(web, 'acme');
  const { id } = user;
  await call('startTwoFactor', { session, body: { password: PASSWORD } });
  const { totpSecretSealed } = await web.runtime.db.staffUser.findUniqueOrThrow({ where: { id } });
  const answer = await meanwhile(
    (tx) => tx.staffUser.update({ where: { id }, data: { totpConfirmedAt: new Date() } }),
    () => call('startTwoFactor', { session, body: { password: PASSWORD } }),
  );
  expectError(answer, 409, 'invalid_state');
  expect(await web.runtime.db.staffUser.findUniqueOrThrow({ where: { id } })).toMatchObject({
    totpSecretSealed,
  });
});
