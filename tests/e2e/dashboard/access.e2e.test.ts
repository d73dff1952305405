/** Access to the dashboard: invitations, two-factor authentication, lockout, launch links and signing out. */
import { TestBrowser } from '@clarion/testkit/agents/browser';
import { TestStack } from '@clarion/testkit/stack/stack';
import { signToken } from '@clarion/testkit/stack/token';
import { axeViolations } from '@clarion/testkit/agents/axe';
import { createStaff, settled, signIn, signInIsReady } from '@clarion/testkit/stack/dashboard';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { totpCode } from '@clarion/testkit/agents/totp';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

const SHOWN_WITHIN_MS = 15_000;
const STEP_MS = 30_000;
const SESSION_HEADER = 'x-clarion-dashboard';
const PASSWORD = 'quiet harbour lantern 7';

let t: TestStack;
let browser: TestBrowser;
beforeAll(async () => {
  browser = await TestBrowser.launch();
  t = await TestStack.boot({ only: ['web'] });
});
afterAll(async () => {
  await browser?.close();
  await t?.stop();
});

/** Opens a page in a new browser context, without cookies. */
async function visitor(path: string): Promise<Page> {
  const { page } = await browser.open(`${t.baseUrl}${path}`);
  page.setDefaultTimeout(SHOWN_WITHIN_MS);
  return page;
}
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const at = (page: Page, path: string) => page.waitForURL((url) => url.pathname === path);

/** Waits for the focus, which a dialog receives a moment after it is shown. */
const hasFocus = (locator: Locator) =>
  expect.poll(() => locator.evaluate((element) => element === document.activeElement)).toBe(true);

async function choosePassword(page: Page, password: string): Promise<void> {
  await field(page, 'New password').fill(password);
  await field(page, 'Repeat password').fill(password);
  await button(page, 'Save and sign in').click();
}

/** The link in the newest email with this subject, from the local inbox. */
async function linkIn(subject: RegExp): Promise<string> {
  const page = await visitor('/app/inbox');
  const link = page.getByRole('article', { name: subject }).first().getByRole('link');
  const href = await link.getAttribute('href');
  await page.context().close();
  return (href ?? '').replace(t.baseUrl, '');
}

/** Sends a request from a page of the dashboard. */
const ask = (page: Page, path: string): Promise<{ status: number; text: string }> =>
  page.evaluate(
    async ([address = '', header = '']) => {
      const response = await fetch(address, { headers: { [header]: '1' } });
      return { status: response.status, text: await response.text() };
    },
    [path, SESSION_HEADER],
  );

function secretBox() {
  const [first = '', ...older] = (t.stack.env.CLARION_MASTER_KEY ?? '').split(',');
  return createSecretBox([first, ...older]);
}

/** Each code works only once, so each sign-in of a person uses that of the next time step, which is already accepted. */
const steps = new Map<string, number>();
function nextCode(secret: string): string {
  const step = Math.max((steps.get(secret) ?? 0) + 1, Math.floor(Date.now() / STEP_MS));
  steps.set(secret, step);
  return totpCode(secret, step * STEP_MS);
}

test('the first owner is invited by the operator, others by email, and each sees what their role allows', async () => {
  const { invitation } = await t.clarion<{ invitation: string }>(
    'staff create --consumer acme --email olivia@acme.test --name Olivia --role OWNER'.split(' '),
  );
  const owner = await visitor(invitation.replace(t.baseUrl, ''));
  await owner.getByText('Olivia, choose a password for the dashboard of acme.').waitFor();
  expect(owner.url(), 'the secret was removed from the URL').not.toContain('token');
  await choosePassword(owner, 'password1234');
  await owner.getByText('too easy to guess').waitFor();
  await choosePassword(owner, PASSWORD);
  await at(owner, '/app');

  await owner.goto(`${t.baseUrl}/app/users`);
  await settled(owner);
  await button(owner, 'Invite a person').click();
  await field(owner, 'Name').fill('Sue');
  await field(owner, 'Email').fill('sue@acme');
  await button(owner, 'Send invitation').click();
  await owner.getByText('This is not a valid email address.').waitFor();
  await field(owner, 'Email').fill('Sue@acme.test');
  await button(owner, 'Send invitation').click();
  await owner.getByRole('row', { name: /Sue.*sue@acme\.test.*Supervisor.*Invited/ }).waitFor();

  const sue = await visitor(await linkIn(/Your invitation to acme/));
  await choosePassword(sue, PASSWORD);
  await at(sue, '/app');
  await sue.getByRole('link', { name: 'Home' }).waitFor();
  expect(await sue.getByRole('link', { name: 'People' }).count()).toBe(0);
  await sue.goto(`${t.baseUrl}/app/users`);
  await sue
    .getByText(/not found|does not exist|could not be found/i)
    .first()
    .waitFor();
  expect((await ask(sue, '/v1/users')).status).toBe(403);
  await owner.context().close();
  await sue.context().close();
});

test('with two-factor authentication, signing in accepts each code once, or a recovery code', async () => {
  const who = await createStaff(t, { role: 'ADMIN', name: 'Ada Admin' });
  const page = await visitor('/app/sign-in');
  await signIn(page, t.baseUrl, who, { to: '/app/account' });
  await settled(page);
  await button(page, 'Set up').click();
  await field(page, 'Your password').fill(who.password);
  await page.keyboard.press('Enter');
  await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
  const [, secret = ''] =
    /Enter this key:\s*([A-Z2-7 ]{30,})/.exec(await page.getByRole('dialog').innerText()) ?? [];
  await field(page, 'Code from the app').fill(nextCode(secret));
  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await codes.first().waitFor();
  const [recovery = ''] = await codes.allInnerTexts();
  expect(await codes.count()).toBe(10);
  await button(page, 'I have saved them').click();
  await page.getByText('10 recovery codes left').waitFor();
  await button(page, 'Sign out of this browser').click();
  await at(page, '/app/sign-in');

  const password = async () => {
    await page.goto(`${t.baseUrl}/app/sign-in`);
    await signInIsReady(page);
    await field(page, 'Email').fill(who.email);
    await field(page, 'Password').fill(who.password);
    await button(page, 'Sign in').click();
    await field(page, 'Code').waitFor();
  };
  await password();
  await field(page, 'Code').fill('000000');
  await page.getByText('The code is incorrect').waitFor();
  await field(page, 'Code').fill(nextCode(secret));
  await at(page, '/app');
  await page.context().clearCookies();
  await password();
  await button(page, 'Use a recovery code').click();
  await field(page, 'Recovery code').fill(recovery);
  await button(page, 'Sign in').click();
  await at(page, '/app');
  await page.goto(`${t.baseUrl}/app/account`);
  await page.getByText('9 recovery codes left').waitFor();
  await page.context().close();
});

test('an owner can reset two-factor authentication for a person who lost their phone and recovery codes', async () => {
  const [owner, lost] = await Promise.all([
    createStaff(t, { role: 'OWNER', name: 'Orla Owner' }),
    createStaff(t, { role: 'ADMIN', name: 'Lena Lost' }),
  ]);
  const seed = { totpSecretSealed: 'on a phone that is gone', totpConfirmedAt: new Date() };
  await t.db.staffUser.update({ where: { id: lost.id }, data: seed });
  const page = await visitor('/app/sign-in');
  await signIn(page, t.baseUrl, owner, { to: `/app/users?user=${owner.id}` });
  await button(page, 'Sign out everywhere').waitFor();
  expect(await button(page, 'Reset two-factor authentication').count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('row', { name: /Lena Lost.*On/ }).click();
  await button(page, 'Reset two-factor authentication').click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByText('This cannot be undone').waitFor();
  await dialog.getByRole('button', { name: 'Reset two-factor authentication' }).click();
  await page.getByText('Two-factor authentication of Lena Lost was reset').waitFor();
  await button(page, 'Reset two-factor authentication').waitFor({ state: 'detached' });
  await page.context().clearCookies();
  await signIn(page, t.baseUrl, lost);
  await page.context().close();
});

test('a person who must use two-factor authentication has to set it up before anything else', async () => {
  const who = await createStaff(t, { role: 'SUPERVISOR', name: 'Rita Required' });
  await t.db.staffUser.update({ where: { id: who.id }, data: { twoFactorRequired: true } });
  const page = await visitor('/app/sign-in');
  await signInIsReady(page);
  await field(page, 'Email').fill(who.email);
  await field(page, 'Password').fill(who.password);
  await page.keyboard.press('Enter');
  await at(page, '/app/two-factor');
  expect((await ask(page, '/v1/tenants')).status).toBe(403);
  await page.goto(`${t.baseUrl}/app/account`);
  await at(page, '/app/two-factor');
  await accessible(page);
  await field(page, 'Your password').fill(who.password);
  await button(page, 'Continue').click();
  await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
  const [, secret = ''] =
    /Enter this key:\s*([A-Z2-7 ]{30,})/.exec(await page.getByRole('main').innerText()) ?? [];
  await field(page, 'Code from the app').fill(nextCode(secret));
  await button(page, 'I have saved them').click();
  await at(page, '/app');
  expect((await ask(page, '/v1/tenants')).status).toBe(200);
  await page.context().close();
});

test('too many failed attempts lock sign-in without revealing it, and a password reset by email unlocks it immediately', async () => {
  const who = await createStaff(t, { role: 'ADMIN', name: 'Lola Locked' });
  const page = await visitor('/app/sign-in');
  await signInIsReady(page);
  const attempt = async (password: string) => {
    await field(page, 'Email').fill(who.email);
    await field(page, 'Password').fill(password);
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/callback/password')),
      button(page, 'Sign in').click(),
    ]);
    return answer.status();
  };
  for (let tries = 0; tries < 5; tries += 1) expect(await attempt('wrong')).toBe(401);
  const words = page.getByText('Wrong email or password.');
  await words.waitFor();
  expect(await attempt(who.password)).toBe(401);
  await words.waitFor();

  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await signInIsReady(page);
  await field(page, 'Email').fill(who.email);
  await button(page, 'Send link').click();
  await page.getByText('Check your email').waitFor();
  const link = await linkIn(/Reset your Clarion password/);
  await page.goto(`${t.baseUrl}${link}`);
  await choosePassword(page, PASSWORD);
  await at(page, '/app');
  const again = await visitor(link);
  await again.getByText('This link is no longer valid').waitFor();
  await again.context().close();
  await page.context().close();
});

test('with two-factor authentication, a password reset works while an attacker keeps guessing', async () => {
  const who = await createStaff(t, { role: 'OWNER', name: 'Ada Attacked' });
  const secret = 'JBSWY3DPEHPK3PXP';
  const totpSecretSealed = secretBox().seal('two-factor', secret);
  await t.db.staffUser.update({
    where: { id: who.id },
    data: { totpSecretSealed, totpConfirmedAt: new Date() },
  });
  const isLocked = async () => {
    const { lockedUntil } = await t.db.staffUser.findUniqueOrThrow({ where: { id: who.id } });
    return lockedUntil !== null;
  };
  const attacker = await visitor('/app/sign-in');
  await signInIsReady(attacker);
  const guess = async () => {
    for (let tries = 0; tries < 5; tries += 1) {
      await field(attacker, 'Email').fill(who.email);
      await field(attacker, 'Password').fill('wrong');
      const answered = attacker.waitForResponse((response) => response.url().endsWith('/callback/password'));
      await button(attacker, 'Sign in').click();
      await answered;
    }
    expect(await isLocked()).toBe(true);
  };
  await guess();
  const page = await visitor('/app/forgot-password');
  await signInIsReady(page);
  await field(page, 'Email').fill(who.email);
  await button(page, 'Send link').click();
  await page.getByText('Check your email').waitFor();
  await page.goto(`${t.baseUrl}${await linkIn(/Reset your Clarion password/)}`);
  await choosePassword(page, PASSWORD);
  await field(page, 'Code').waitFor();
  await accessible(page);
  await guess();
  await field(page, 'Code').fill('000000');
  await page.getByText('The code is incorrect').waitFor();
  await field(page, 'Code').fill(nextCode(secret));
  await at(page, '/app');
  expect(await isLocked(), 'signing in ends the lock').toBe(false);
  await attacker.context().close();
  await page.context().close();
});

test('a browser whose session was ended from another browser is signed out at its next click', async () => {
  const who = await createStaff(t, { role: 'OWNER', name: 'Mo Many' });
  const [here, there] = [await visitor('/app/sign-in'), await visitor('/app/sign-in')];
  // The account page requests nothing by itself, unlike the home page, which would notice the end before the click.
  for (const page of [there, here]) await signIn(page, t.baseUrl, who, { to: '/app/account' });
  await settled(here);
  await button(here, /^Sign out Chrome/).click();
  await here.getByText('The browser was signed out').waitFor();
  await there.getByRole('link', { name: 'People' }).click();
  await at(there, '/app/sign-in');
  expect((await ask(here, '/v1/me')).status).toBe(200);
  await here.context().close();
  await there.context().close();
});

function launchLink(jti: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { tnt: 'shop', sub: 'user-7', name: 'Grace', role: 'SUPERVISOR', jti, iat: now };
  const whose = { iss: 'acme', aud: 'clarion-dashboard', exp: now + 300 };
  return `/app/launch#token=${signToken(t.account.signingKey, { ...claims, ...whose })}`;
}

test('a launched supervisor can access only one tenant, and the launch link works once', async () => {
  for (const ref of ['shop', 'zanzibar']) await t.v1.ok('PUT', `/v1/tenants/${ref}`, { name: ref });
  const link = launchLink('one');
  const page = await visitor(link);
  await at(page, '/app');
  expect((await ask(page, '/v1/me')).text).toContain('"tenantRef":"shop"');
  for (const path of ['/app/t/zanzibar/calls', '/app/users', '/app/keys', '/app/audit', '/app/account']) {
    const answer = await page.goto(`${t.baseUrl}${path}`);
    expect(answer?.status(), path).toBe(404);
  }
  expect((await ask(page, '/v1/tenants/zanzibar')).status).toBe(404);
  expect((await ask(page, '/v1/tenants/zanzibar/calls')).status).toBe(404);
  expect((await ask(page, '/v1/webhook')).status).toBe(403);
  expect((await ask(page, '/v1/tenants/shop/agents')).status).toBe(200);
  const second = await visitor(link);
  await second.getByText('Each link works once').waitFor();
  await second.context().close();
  await page.context().close();
});

test('a launch link asks for confirmation from a person who is signed in with a password', async () => {
  await t.v1.ok('PUT', '/v1/tenants/shop', { name: 'shop' });
  const who = await createStaff(t, { role: 'ADMIN', name: 'Ina Inside' });
  const page = await visitor('/app/sign-in');
  await signIn(page, t.baseUrl, who);
  const link = launchLink('asked');
  await page.goto(`${t.baseUrl}${link}`);
  await page.getByText(`You are signed in as Ina Inside (${who.email})`).waitFor();
  await accessible(page);
  await button(page, 'Stay signed in').click();
  await at(page, '/app');
  expect((await ask(page, '/v1/me')).text).toContain('Ina Inside');
  await page.goto(`${t.baseUrl}${link}`);
  await button(page, 'Continue').click();
  await at(page, '/app');
  expect((await ask(page, '/v1/me')).text).toContain('"kind":"LAUNCHED"');
  const left = { staffUserId: who.id, revokedAt: null };
  expect(await t.db.dashboardSession.count({ where: left }), 'the earlier session has ended').toBe(0);
  // The link has been used up, and no confirmation is needed to replace a launched session.
  await page.goto(`${t.baseUrl}${link}`);
  await page.getByText('Each link works once').waitFor();
  const refused = { action: 'session.refuse_launch', target: 'user-7' };
  expect(await t.db.auditEntry.count({ where: refused })).toBeGreaterThan(0);
  await page.context().close();
});

async function accessible(page: Page): Promise<void> {
  expect(await axeViolations(page), page.url()).toEqual([]);
}

/** pages.e2e.test.ts checks every page, but nobody has been invited there, and the inbox is empty. */
test('people can be managed with the keyboard alone, and their page and the inbox are accessible', async () => {
  const who = await createStaff(t, { role: 'OWNER', name: 'Kay Keys' });
  const page = await visitor('/app/sign-in');
  await signInIsReady(page);
  await page.keyboard.type(who.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(who.password);
  await page.keyboard.press('Enter');
  await at(page, '/app');
  await page.goto(`${t.baseUrl}/app/inbox`);
  await settled(page);
  await accessible(page);
  await page.goto(`${t.baseUrl}/app/users`);
  await settled(page);
  await button(page, 'Invite a person').focus();
  await page.keyboard.press('Enter');
  await hasFocus(field(page, 'Name'));
  await page.keyboard.type('Kim');
  await page.keyboard.press('Tab');
  await hasFocus(field(page, 'Email'));
  await page.keyboard.type('kim@acme.test');
  await page.keyboard.press('Tab');
  await hasFocus(page.getByRole('radio', { name: /^Supervisor/ }));
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => page.getByRole('radio', { name: /^Admin/ }).isChecked()).toBe(true);
  const send = button(page, 'Send invitation');
  while (!(await send.evaluate((element) => element === document.activeElement))) {
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  const row = page.getByRole('row', { name: /Kim.*Admin.*Invited/ });
  await row.waitFor();
  await accessible(page);
});
