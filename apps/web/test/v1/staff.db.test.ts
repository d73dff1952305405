import { forConsumer } from '@clarion/core/consumer/operator';
import { readInbox } from '@clarion/core/mail/inbox';
import { requestReset } from '@clarion/core/staff/request-reset';
import { createStaff } from '@clarion/core/staff/create-staff';
import { readLink, setPasswordByLink } from '@clarion/core/staff/set-password';
import { signIn, trySignIn } from '@clarion/core/staff/sign-in';
import type { SignInResult } from '@clarion/core/staff/sign-in';
import { FREE_ATTEMPTS, LOCK_FIRST_MS, LOCK_MAX_MS, RESET_MS } from '@clarion/core/staff/staff-limits';
import { totpCode } from '@clarion/testkit/agents/totp';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { anonymous } from '#lib/session/auth-options.ts';
import { makeStaff, PASSWORD, signedIn, staffSession } from '../dashboard.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

let web: Web;
beforeAll(async () => {
  web = await startWeb();
  await web.runtime.ready;
  await web.consumer('acme');
  await web.consumer('other');
});
afterAll(() => web.stop());

/** Each test has its own day, so that locks and codes of other tests do not matter. */
let days = 0;
beforeEach(() => web.setNow(new Date(Date.UTC(2027, 0, (days += 1), 9))));
const later = (ms: number) => web.setNow(new Date(web.runtime.now().getTime() + ms));

const device = { userAgent: null, address: '192.0.2.1' };
const attempt = (email: string, password = PASSWORD, code: string | null = null): Promise<SignInResult> =>
  trySignIn(anonymous(web.runtime), { email, password, code }, device);
const refusal = (result: SignInResult): string | null => ('refused' in result ? result.refused : null);
const codeOf = (secret: string): string => totpCode(secret, web.runtime.now().getTime());
const actions = async (email: string): Promise<string[]> => {
  const rows = await web.runtime.db.auditEntry.findMany({ where: { target: email }, orderBy: { id: 'asc' } });
  return rows.map(({ action }) => action);
};
const linkIn = async (email: string): Promise<string> => {
  const { db, secrets } = web.runtime;
  const mail = (await readInbox({ db, secrets })).find(({ to }) => to === email);
  return /#token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
};

test('a response reveals neither by content nor by time who has an account', async () => {
  const { email } = await makeStaff(web, 'acme');
  const timed = async (who: string) => {
    const startedAt = performance.now();
    const given = { email: who, password: 'not the password', code: null };
    const result = await signIn(anonymous(web.runtime), given, device);
    return { result, ms: performance.now() - startedAt };
  };
  // The shortest of several times is that of the work: a busy machine only adds to it.
  let [knownMs, unknownMs] = [Infinity, Infinity];
  for (let round = 0; round < 3; round += 1) {
    const [known, unknown] = [await timed(email), await timed('nobody@acme.test')];
    expect(known.result).toEqual(unknown.result);
    [knownMs, unknownMs] = [Math.min(knownMs, known.ms), Math.min(unknownMs, unknown.ms)];
  }
  expect(Math.abs(knownMs - unknownMs)).toBeLessThan(150);
  expect(refusal(await attempt(`  ${email.toUpperCase()} `))).toBeNull();
});

test('after a few failed attempts sign-in is locked for a time that doubles, and a success resets it', async () => {
  const { email, id } = await makeStaff(web, 'acme');
  const wrong = () => attempt(email, 'wrong');
  await Promise.all(Array.from({ length: FREE_ATTEMPTS }, wrong));
  expect(refusal(await attempt(email))).toBe('wrong');
  later(LOCK_FIRST_MS);
  await wrong();
  later(LOCK_FIRST_MS);
  expect(refusal(await attempt(email)), 'the second lock is longer').toBe('wrong');
  later(LOCK_FIRST_MS);
  expect(refusal(await attempt(email))).toBeNull();
  const { failedSignIns, lockedUntil } = await web.runtime.db.staffUser.findUniqueOrThrow({ where: { id } });
  expect({ failedSignIns, lockedUntil }).toEqual({ failedSignIns: 0, lockedUntil: null });
  expect(await actions(email)).toEqual(
    expect.arrayContaining(['session.refuse', 'staff.lock', 'session.sign_in']),
  );
  const mails = await web.runtime.db.mail.findMany({ where: { to: email } });
  expect(mails, 'one mail tells of it').toHaveLength(1);
});

test('concurrent attempts are all counted: no more than the limit are checked', async () => {
  const { email, id } = await makeStaff(web, 'acme');
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) => attempt(email, index === 19 ? PASSWORD : 'wrong')),
  );
  const { failedSignIns } = await web.runtime.db.staffUser.findUniqueOrThrow({ where: { id } });
  const letIn = results.filter((result) => refusal(result) === null).length;
  expect(failedSignIns).toBeLessThanOrEqual(FREE_ATTEMPTS);
  expect(letIn).toBeLessThanOrEqual(1);
});

test('a lock is never longer than an hour', async () => {
  const { email, id } = await makeStaff(web, 'acme');
  await web.runtime.db.staffUser.update({ where: { id }, data: { failedSignIns: 40 } });
  await attempt(email, 'wrong');
  const { lockedUntil } = await web.runtime.db.staffUser.findUniqueOrThrow({ where: { id } });
  expect(lockedUntil?.getTime()).toBe(web.runtime.now().getTime() + LOCK_MAX_MS);
});

test('two-factor authentication: each code and recovery code works once, and wrong codes lock like wrong passwords', async () => {
  const user = await makeStaff(web, 'acme', 'ADMIN');
  const [mine, elsewhere] = [await signedIn(web, user), await signedIn(web, user)];
  expectError(
    await call('startTwoFactor', { ...mine, body: { password: 'wrong' } }),
    400,
    'invalid_request',
    'password',
  );
  const { secret, otpauthUri } = (await call('startTwoFactor', { ...mine, body: { password: PASSWORD } }))
    .json;
  expect(otpauthUri).toContain(`secret=${secret}`);
  expect(refusal(await attempt(user.email)), 'not on before it is confirmed').toBeNull();
  expectError(
    await call('confirmTwoFactor', { ...mine, body: { code: '000000' } }),
    400,
    'invalid_request',
    'code',
  );
  const { recoveryCodes } = (await call('confirmTwoFactor', { ...mine, body: { code: codeOf(secret) } }))
    .json;
  expect(new Set(recoveryCodes).size).toBe(10);
  expectError(await call('getMe', elsewhere), 401, 'unauthorized');
  expect((await call('getMe', mine)).json.me.twoFactor).toEqual({
    enabled: true,
    required: false,
    recoveryCodesLeft: 10,
  });

  expect(refusal(await attempt(user.email))).toBe('code');
  expect(refusal(await attempt(user.email, PASSWORD, codeOf(secret))), 'it was taken before').toBe(
    'wrong-code',
  );
  later(30_000);
  const code = codeOf(secret);
  const both = await Promise.all([attempt(user.email, PASSWORD, code), attempt(user.email, PASSWORD, code)]);
  expect(both.map(refusal).sort()).toEqual(['wrong-code', null].sort());
  const [first = ''] = recoveryCodes;
  expect(refusal(await attempt(user.email, PASSWORD, first.toUpperCase().replace('-', ' ')))).toBeNull();
  expect(refusal(await attempt(user.email, PASSWORD, first))).toBe('wrong-code');
  await Promise.all(Array.from({ length: FREE_ATTEMPTS }, () => attempt(user.email, PASSWORD, '000000')));
  later(30_000);
  expect(refusal(await attempt(user.email, PASSWORD, codeOf(secret))), 'locked').toBe('wrong');
  later(LOCK_MAX_MS);
  const again = (await call('renewRecoveryCodes', { ...mine, body: { password: PASSWORD } })).json;
  expect(again.recoveryCodes).not.toContain(first);
  const off = await call('disableTwoFactor', { ...mine, body: { password: PASSWORD, code: codeOf(secret) } });
  expect(off.status).toBe(204);
  expect(refusal(await attempt(user.email))).toBeNull();
});

test('a user who must use two-factor authentication can do nothing before setting it up, and cannot turn it off', async () => {
  const owner = await staffSession(web, 'acme');
  const { user, ...mine } = await staffSession(web, 'acme', 'ADMIN');
  await call('patchUser', { ...owner, path: { userId: user.id }, body: { two_factor_required: true } });
  expectError(await call('listTenants', mine), 403, 'forbidden');
  expect((await call('getMe', mine)).json.me.twoFactor).toMatchObject({ enabled: false, required: true });
  const { secret } = (await call('startTwoFactor', { ...mine, body: { password: PASSWORD } })).json;
  await call('confirmTwoFactor', { ...mine, body: { code: codeOf(secret) } });
  expect((await call('listTenants', mine)).status).toBe(200);
  later(30_000);
  expectError(
    await call('disableTwoFactor', { ...mine, body: { password: PASSWORD, code: codeOf(secret) } }),
    409,
    'invalid_state',
  );
});

test("an owner resets another user's two-factor authentication, who gets an email; users cannot reset their own", async () => {
  const { db } = web.runtime;
  const owner = await staffSession(web, 'acme');
  const { user, ...theirs } = await staffSession(web, 'acme', 'ADMIN');
  const reset = (who: Pick<typeof owner, 'session'>, userId = user.id) =>
    call('resetUserTwoFactor', { ...who, path: { userId } });
  const setUp = async (session: string) => {
    const { secret } = (await call('startTwoFactor', { session, body: { password: PASSWORD } })).json;
    expectError(await reset(owner), 409, 'invalid_state');
    return (await call('confirmTwoFactor', { session, body: { code: codeOf(secret) } })).json.recoveryCodes;
  };
  const [kept = ''] = await setUp(theirs.session);
  expectError(await reset(await staffSession(web, 'other')), 404, 'not_found');
  expectError(await reset(await staffSession(web, 'acme', 'ADMIN')), 403, 'forbidden');
  const own = await reset(owner, owner.user.id);
  expectError(own, 409, 'invalid_state');
  expect(own.error?.message).toContain('your own');
  expect(refusal(await attempt(user.email)), 'nothing has changed').toBe('code');

  const twice = await Promise.all([reset(owner), reset(owner)]);
  expect(twice.map(({ status }) => status).sort()).toEqual([204, 409]);
  expectError(await call('getMe', theirs), 401, 'unauthorized');
  expect(await db.staffRecoveryCode.count({ where: { staffUserId: user.id } })).toBe(0);
  expect(await db.staffUser.findUniqueOrThrow({ where: { id: user.id } })).toMatchObject({
    totpSecretSealed: null,
    totpConfirmedAt: null,
    totpLastStep: null,
  });
  const entry = await db.auditEntry.findFirstOrThrow({ where: { action: 'staff.reset_two_factor' } });
  expect(entry).toMatchObject({ target: user.email, actorId: String(owner.user.id), details: { ended: 1 } });
  const mails = (await readInbox({ db, secrets: web.runtime.secrets })).filter(({ to }) => to === user.email);
  expect(
    mails.map(({ text }) =>
      text.includes(`${owner.user.name}, an owner of acme, has reset two-factor authentication`),
    ),
  ).toEqual([true, false]);

  expect(refusal(await attempt(user.email)), 'the password alone').toBeNull();
  later(30_000);
  await setUp((await signedIn(web, user)).session);
  expect(refusal(await attempt(user.email, PASSWORD, kept)), 'an old code stays gone').toBe('wrong-code');
});

test('a new password ends every other session, and must not be weak', async () => {
  const user = await makeStaff(web, 'acme', 'SUPERVISOR');
  const [mine, elsewhere] = [await signedIn(web, user), await signedIn(web, user)];
  const change = (current_password: string, password: string) =>
    call('changePassword', { ...mine, body: { current_password, password } });
  expectError(await change('wrong', 'another harbour lantern'), 400, 'invalid_request', 'current_password');
  for (const weak of ['short', 'passwordpassword', `${user.email}`, 'aaaaaaaaaaaaaaaa', 'Password123456']) {
    expectError(await change(PASSWORD, weak), 400, 'invalid_request', 'password');
  }
  expect((await change(PASSWORD, '  another harbour lantern ')).status).toBe(204);
  expectError(await call('getMe', elsewhere), 401, 'unauthorized');
  expect((await call('getMe', mine)).status).toBe(200);
  expect(refusal(await attempt(user.email))).toBe('wrong');
  expect(refusal(await attempt(user.email, '  another harbour lantern '))).toBeNull();
});

test('a reset link is emailed, works once within an hour, and unlocks sign-in', async () => {
  const user = await makeStaff(web, 'acme', 'ADMIN');
  const before = await signedIn(web, user);
  await requestReset(anonymous(web.runtime), 'nobody@acme.test');
  expect(await web.runtime.db.mail.count({ where: { to: 'nobody@acme.test' } })).toBe(0);
  await requestReset(anonymous(web.runtime), user.email);
  await requestReset(anonymous(web.runtime), user.email);
  expect(await web.runtime.db.mail.count({ where: { to: user.email } }), 'one a minute').toBe(1);
  const old = await linkIn(user.email);
  later(RESET_MS);
  const use = (link: string, password: string) =>
    setPasswordByLink(anonymous(web.runtime), 'RESET', link, password);
  await expect(use(old, 'another harbour lantern')).rejects.toMatchObject({ code: 'not_found' });

  await requestReset(anonymous(web.runtime), user.email);
  const link = await linkIn(user.email);
  await expect(readLink(anonymous(web.runtime), 'INVITATION', link)).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(await readLink(anonymous(web.runtime), 'RESET', link)).toEqual({
    name: user.name,
    email: user.email,
    account: 'acme',
  });
  await expect(use(link, 'short')).rejects.toMatchObject({ details: { field: 'password' } });
  await Promise.all(Array.from({ length: FREE_ATTEMPTS }, () => attempt(user.email, 'wrong')));
  const outcomes = await Promise.allSettled(
    Array.from({ length: 5 }, (_, index) => use(link, `harbour lantern number ${index}`)),
  );
  const won = outcomes.findIndex(({ status }) => status === 'fulfilled');
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(refusal(await attempt(user.email, `harbour lantern number ${won}`))).toBeNull();
  expect((await call('getMe', before)).status).toBe(401);
});

test('an invited user sets a password with the newest link, and cannot sign in otherwise', async () => {
  const owner = await staffSession(web, 'acme');
  const email = 'grace@acme.test';
  const { user } = (
    await call('createUser', { ...owner, body: { email: 'Grace@acme.test', name: 'Grace', role: 'ADMIN' } })
  ).json;
  expect(user).toMatchObject({ email, status: 'INVITED', role: 'ADMIN' });
  expectError(
    await call('createUser', { ...owner, body: { email, name: 'Grace', role: 'ADMIN' } }),
    409,
    'exists',
    'email',
  );
  const old = await linkIn(email);
  expect((await call('inviteUserAgain', { ...owner, path: { userId: user.id } })).status).toBe(204);
  const link = await linkIn(email);
  await requestReset(anonymous(web.runtime), email);
  expect(await linkIn(email), 'no reset for who never had a password').toBe(link);
  expect(refusal(await attempt(email))).toBe('wrong');
  const accept = (secret: string) =>
    setPasswordByLink(anonymous(web.runtime), 'INVITATION', secret, PASSWORD);
  await expect(accept(old)).rejects.toMatchObject({ code: 'not_found' });
  await accept(link);
  expect(refusal(await attempt(email))).toBeNull();
  expectError(await call('inviteUserAgain', { ...owner, path: { userId: user.id } }), 409, 'invalid_state');
});

test('the last owner who can sign in remains an owner, also with concurrent requests', async () => {
  await web.consumer('pair');
  const [a, b] = [await staffSession(web, 'pair'), await staffSession(web, 'pair')];
  await call('createUser', { ...a, body: { email: 'c@pair.test', name: 'C', role: 'OWNER' } });
  const demote = (who: typeof a, userId: number) =>
    call('patchUser', { ...who, path: { userId }, body: { role: 'ADMIN' } });
  const answers = await Promise.all([demote(a, b.user.id), demote(b, a.user.id)]);
  const statuses = answers.map(({ status }) => status).sort();
  // The rejected request found no other owner, or its caller was no longer an owner.
  expect(statuses[0]).toBe(200);
  expect([403, 409]).toContain(statuses[1]);
  const owners = await web.runtime.db.staffUser.findMany({
    where: { consumer: { slug: 'pair' }, role: 'OWNER', passwordHash: { not: null } },
  });
  expect(owners).toHaveLength(1);
  const last = owners[0]?.id === a.user.id ? a : b;
  const path = { userId: last.user.id };
  expectError(await call('deleteUser', { ...last, path }), 409, 'invalid_state');
  expectError(await call('patchUser', { ...last, path, body: { disabled: true } }), 409, 'invalid_state');
  expect((await call('patchUser', { ...last, path, body: { name: 'Still here' } })).json.user.name).toBe(
    'Still here',
  );
});

test("changing, signing out and removing users takes effect immediately, and another account's users are not found", async () => {
  const owner = await staffSession(web, 'acme');
  const { user, ...theirs } = await staffSession(web, 'acme', 'ADMIN');
  const path = { userId: user.id };
  expect((await call('deleteUserSessions', { ...owner, path })).status).toBe(204);
  expectError(await call('getMe', theirs), 401, 'unauthorized');
  const again = await signedIn(web, user);
  expect((await call('patchUser', { ...owner, path, body: { disabled: true } })).json.user.status).toBe(
    'DISABLED',
  );
  expectError(await call('getMe', again), 401, 'unauthorized');
  expect(refusal(await attempt(user.email))).toBe('wrong');
  await call('patchUser', { ...owner, path, body: { disabled: false } });
  expectError(await call('getMe', again), 401, 'unauthorized');
  expect(refusal(await attempt(user.email))).toBeNull();
  const stranger = await staffSession(web, 'other');
  for (const name of ['deleteUser', 'deleteUserSessions', 'inviteUserAgain'] as const) {
    expectError(await call(name, { ...stranger, path }), 404, 'not_found');
  }
  expect((await call('listUsers', stranger)).text).not.toContain('acme.test');
  expect((await call('deleteUser', { ...owner, path })).status).toBe(204);
  expectError(await call('deleteUser', { ...owner, path }), 404, 'not_found');
});

test("the audit log is paged and filtered, and has the users' names at the time", async () => {
  const { session, user } = await staffSession(web, 'other', 'ADMIN');
  for (const tenantRef of ['one', 'two', 'three']) {
    await call('putTenant', { session, path: { tenantRef }, body: { name: tenantRef } });
  }
  const first = (await call('listAuditLog', { session, query: 'action=tenant&limit=2' })).json;
  expect(first.entries.map(({ target, actor }) => ({ target, name: actor.name }))).toEqual([
    { target: 'three', name: user.name },
    { target: 'two', name: user.name },
  ]);
  const rest = (
    await call('listAuditLog', { session, query: `action=tenant.put&before_id=${first.nextBeforeId}` })
  ).json;
  expect(rest).toMatchObject({ entries: [{ target: 'one', tenantRef: 'one' }], nextBeforeId: null });
  const by = (query: string) => call('listAuditLog', { session, query });
  expect((await by(`actor=dashboardUser:${user.id}&tenant_ref=two`)).json.entries).toHaveLength(1);
  expect((await by('actor=apiKey&action=tenant')).json.entries).toHaveLength(0);
  expectError(await by('tenant_ref=none'), 404, 'not_found');
});

test('the audit log is newest first, also when an older entry was written later', async () => {
  const { session } = await staffSession(web, 'other', 'ADMIN');
  const { consumerId } = await web.runtime.db.auditEntry.findFirstOrThrow({ where: { target: 'one' } });
  const at = (day: number) => new Date(Date.UTC(2020, 0, day));
  for (const day of [3, 1, 2]) {
    const entry = {
      consumerId,
      actorKind: 'job',
      actorId: 'import',
      action: 'call.import',
      target: `${day}`,
    };
    await web.runtime.db.auditEntry.create({ data: { ...entry, at: at(day) } });
  }
  const list = (query: string) => call('listAuditLog', { session, query: `action=call.import&${query}` });
  const first = (await list('limit=2')).json;
  expect(first.entries.map(({ target }) => target)).toEqual(['3', '2']);
  const rest = (await list(`limit=2&before_id=${first.nextBeforeId}`)).json;
  expect(rest.entries.map(({ target }) => target)).toEqual(['1']);
});

test('the operator creates the first owner, who has no usable password', async () => {
  const consumer = await web.runtime.db.consumer.findUniqueOrThrow({ where: { slug: 'other' } });
  const ctx = forConsumer(web.operator, consumer);
  const { invitation, user } = await createStaff(ctx, {
    email: 'first@other.test',
    name: 'First',
    role: 'OWNER',
    password: null,
  });
  expect(user.passwordHash).toBeNull();
  expect(refusal(await attempt('first@other.test', ''))).toBe('wrong');
  await setPasswordByLink(anonymous(web.runtime), 'INVITATION', invitation ?? '', PASSWORD);
  expect(refusal(await attempt('first@other.test'))).toBeNull();
});
