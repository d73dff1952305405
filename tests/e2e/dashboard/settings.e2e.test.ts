/** Setting up an account in the dashboard: from a new tenant to a ringing call, with errors shown at their fields. */
import { TestBrowser, type BrowserPage } from '@clarion/testkit/agents/browser';
import { TestStack } from '@clarion/testkit/stack/stack';
import { axeViolations } from '@clarion/testkit/agents/axe';
import { createOwner, createStaff, pollsAgain, settled, signIn } from '@clarion/testkit/stack/dashboard';
import { newNumber } from '@clarion/testkit/stack/call-centre';
import type { CallDetail } from '@clarion/protocol/call';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const SHOWN_WITHIN_MS = 15_000;
const SESSION_HEADER = 'x-clarion-dashboard';
const number = newNumber();
const home = '/app/t/corner-shop';

let t: TestStack;
let browser: TestBrowser;
let owner: BrowserPage;
let supervisor: BrowserPage;
let page: Page;

beforeAll(async () => {
  browser = await TestBrowser.launch();
  t = await TestStack.share();
  const people = await Promise.all([createOwner(t), createStaff(t, { role: 'SUPERVISOR', name: 'Sue' })]);
  [owner, supervisor] = await Promise.all([signedIn(people[0]), signedIn(people[1])]);
  ({ page } = owner);
});
afterEach(() => t.release());
afterAll(async () => {
  await browser?.close();
  await t?.stop();
});

async function signedIn(who: { email: string; password: string }): Promise<BrowserPage> {
  const opened = await browser.open(t.baseUrl);
  opened.page.setDefaultTimeout(SHOWN_WITHIN_MS);
  await opened.page.clock.install();
  await signIn(opened.page, t.baseUrl, who);
  return opened;
}

async function open(path: string, on: Page = page): Promise<void> {
  await on.goto(`${t.baseUrl}${path}`);
  await settled(on);
}

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const field = (label: string) => page.getByRole('textbox', { name: label, exact: true });
/** A toast is also a dialog, but need not be closed. */
const SHEET = '[role=dialog]:not([aria-modal=false])';
const sheet = (on: Page = page) => on.locator(SHEET);
const closed = () => sheet().waitFor({ state: 'detached' });

test('an owner sets up a new tenant, and a call rings its agent', async () => {
  await open('/app/tenants');
  await button('New tenant').first().click();
  await field('Name').fill('Corner Shop');
  expect(await field('Ref').inputValue()).toBe('corner-shop');
  await button('Create tenant').click();
  await closed();
  await page.getByRole('row', { name: /Corner Shop/ }).waitFor();

  await open(`${home}/agents`);
  for (const name of ['Ada Byron', 'Ben Mar']) {
    await button('New agent').first().click();
    await field('Name').fill(name);
    await button('Add agent').click();
    await closed();
    await page.getByRole('row', { name: new RegExp(name) }).waitFor();
  }

  await open(`${home}/queues`);
  await button('New queue').first().click();
  await field('Name').fill('Sales');
  await button('Create queue').click();
  await page.waitForURL((url) => url.pathname === `${home}/queues/sales`);
  await page.getByText('No calls reach this queue yet').waitFor();
  for (const name of ['Ada Byron', 'Ben Mar']) {
    await page.getByRole('combobox', { name: 'Add an agent' }).fill(name.slice(0, 3));
    await page.getByRole('option', { name: new RegExp(name) }).click();
    await page.getByRole('listitem').filter({ hasText: name }).waitFor();
  }
  for (const answers of [true, false]) {
    await page.getByRole('switch', { name: 'Answer callers while they wait' }).click();
    await button('Save changes').click();
    await page.getByText('All changes saved').waitFor();
    const { queue } = await t.v1.ok<{ queue: { answerWhileWaiting: boolean } }>(
      'GET',
      '/v1/tenants/corner-shop/queues/sales',
    );
    expect(queue.answerWhileWaiting).toBe(answers);
  }

  await open(`${home}/lines`);
  await button('New line').first().click();
  await page.getByRole('textbox', { name: /^Name/ }).fill('Main');
  await field('Number').fill(number);
  await page.getByRole('combobox', { name: 'Queue' }).click();
  await page.getByRole('option', { name: /Sales/ }).click();
  await page
    .getByText('The caller waits in the queue Sales, which rings its members one after another.')
    .waitFor();
  await button('Create line').click();
  await closed();
  await page.getByRole('row', { name: /Main/ }).waitFor();

  await open('/app/tenants?open=corner-shop');
  await page.getByRole('radio', { name: /^On/ }).click();
  await button('Save').click();
  await closed();
  const { tenant } = await t.v1.ok<{ tenant: { settings: { recording: { enabled: boolean | null } } } }>(
    'GET',
    '/v1/tenants/corner-shop',
  );
  expect(tenant.settings.recording.enabled).toBe(true);

  const ada = await t.agent('ada-byron', { tenant: 'corner-shop' });
  await ada.available();
  await open(`${home}/agents`);
  await page
    .getByRole('row', { name: /ada-byron/ })
    .getByText('Available')
    .waitFor();
  const call = await t.carrier.call(number, t.sip);
  const offered = await ada.incoming();
  const leg = await ada.accept(offered.callId);
  await call.answered();
  await pollsAgain(page);
  await page
    .getByRole('row', { name: /ada-byron/ })
    .getByText('On a call')
    .waitFor();
  const { call: taken } = await t.v1.ok<CallDetail>('GET', `/v1/calls/${offered.callId}`);
  expect(taken).toMatchObject({ channelRef: 'main', agentRef: 'ada-byron', status: 'IN_PROGRESS' });
  await call.hangUp();
  leg.close();
});

test('the webhook can be set, and the page reports whether a test event was delivered', async () => {
  await open('/app/webhook?tab=settings');
  await field('URL').fill(`${t.webhooks.url}/from-the-page`);
  await button('Save settings').click();
  await page.getByText('Saved', { exact: true }).first().waitFor();
  await button('Send test event').click();
  await page.getByText('Delivered. Your endpoint responded with 200').waitFor();
  const arrived = await t.webhooks.waitFor(({ event }) => event.event_type === 'webhook.test');
  expect(arrived.signatureValid).toBe(true);
  expect(arrived.event.data).toEqual({ test: { sentBy: 'Olivia Owner' } });

  t.webhooks.answer({ status: 500, body: 'out of order' });
  await button('Send test event').click();
  await page.getByText('Not delivered: The endpoint returned 500.').waitFor();
  t.webhooks.answer(200);
  await page.getByRole('link', { name: 'Show request' }).click();
  const drawer = page.getByRole('dialog', { name: 'webhook.test' });
  await drawer.getByText('out of order').first().waitFor();
  await drawer.getByText('"sentBy": "Olivia Owner"').waitFor();
  await drawer.getByRole('button', { name: 'Send again' }).click();
  // The engine may retry automatically in the meantime.
  await drawer.getByText('Status 200').first().waitFor();
});

test('errors are shown at their fields', async () => {
  await open(`${home}/queues/sales`);
  await page.getByRole('radio', { name: /Priority/ }).click();
  await page.getByRole('textbox', { name: 'Priority of Ben Mar' }).fill('2000');
  await button('Save changes').click();
  const row = page.getByRole('listitem').filter({ hasText: 'Ben Mar' });
  await row.getByText('Must be at most 1000.').waitFor();
  expect(await row.getByRole('textbox', { name: 'Priority of Ben Mar' }).getAttribute('aria-invalid')).toBe(
    'true',
  );

  await open(`${home}/lines?open=main`);
  await field('Number').fill('12');
  await button('Save').click();
  await page.getByText('must be an international number', { exact: false }).first().waitFor();
  expect(await field('Number').getAttribute('aria-invalid')).toBe('true');
  await page.keyboard.press('Escape');
  await button('Discard changes').click();
  await closed();

  await open('/app/tenants?new=1');
  await field('Name').fill('Corner Shop');
  await field('Ref').fill('corner-shop');
  await button('Create tenant').click();
  await page.getByText('This ref is taken. Choose another.').waitFor();
});

test('an API key is shown once and works', async () => {
  await open('/app/keys');
  await button('New API key').click();
  await field('Name').fill('from the page');
  await button('Create key').click();
  const dialog = page.getByRole('dialog', { name: 'API key: copy it now' });
  const secret = (await dialog.getByText(new RegExp(`^ck_${t.account.slug}_`)).textContent()) ?? '';
  const done = dialog.getByRole('button', { name: 'Done' });
  expect(await done.isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  expect(await dialog.isVisible()).toBe(true);
  await dialog.getByRole('checkbox', { name: 'I have stored it' }).click();
  await done.click();
  await closed();
  expect(await page.content()).not.toContain(secret);
  const answered = await fetch(`${t.baseUrl}/v1/tenants`, { headers: { authorization: `Bearer ${secret}` } });
  expect(answered.status).toBe(200);
});

test('the home page labels its figures as those of all tenants', async () => {
  await t.v1.ok('PUT', '/v1/tenants/second-shop', { name: 'Second Shop' });
  await open('/app');
  await page.getByRole('heading', { name: 'Now, all tenants' }).waitFor();
  await page.getByRole('heading', { name: 'Last 24 hours, all tenants' }).waitFor();
});

test('an agent can be added with the keyboard alone', async () => {
  await open(`${home}/agents`);
  await button('New agent').first().focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  for (
    let tabs = 0;
    tabs < 5 && !(await field('Name').evaluate((box) => box === document.activeElement));
    tabs += 1
  )
    await page.keyboard.press('Tab');
  await page.keyboard.type('Cy Twombly');
  await page.keyboard.press('Enter');
  await closed();
  const row = page.getByRole('row', { name: /Cy Twombly/ });
  await row.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Cy Twombly', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await closed();
});

test('a test push shows in plain words what the provider answers', async () => {
  const { fcm, apns } = t.devices.credentials;
  await t.v1.ok('PUT', '/v1/push-credentials/fcm', fcm);
  await t.v1.ok('PUT', '/v1/push-credentials/apns', { ...apns, key_id: 'XXXXXXXXXX' });
  const device = { tenant: 'corner-shop', agent: 'ada-byron', deviceId: 'pixel', kind: 'ANDROID' } as const;
  const phone = await t.devices.register(t.v1, device);
  const send = () => sheet().getByRole('button', { name: 'Send test push' }).click();

  await open('/app/push');
  await button(/Send test push.*Apple/).click();
  await send();
  await sheet().getByText('Check the key ID and the team ID').waitFor();
  await page.keyboard.press('Escape');
  await closed();

  await button(/Send test push.*Firebase/).click();
  for (const [name, typed] of [
    ['Tenant', 'Corner'],
    ['Agent', 'Ada'],
  ] as const) {
    await sheet().getByRole('combobox', { name }).fill(typed);
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
  }
  const devices = sheet().getByRole('combobox', { name: 'Device' });
  await expect.poll(() => devices.isEnabled()).toBe(true);
  await devices.press('Enter');
  await page.getByRole('option', { name: /pixel/ }).press('Enter');
  await send();
  await sheet().getByText('Accepted', { exact: true }).waitFor();
  expect(phone.count()).toBe(1);
  expect(await axeViolations(page, { within: SHEET })).toEqual([]);

  t.devices.simulator.fcm.setRegistered(phone.token, false);
  await send();
  await sheet().getByText('The token is no longer valid').waitFor();
  await open(`${home}/agents?open=ada-byron`);
  await sheet().getByText('The app was removed from the device').waitFor();
});

test('a supervisor sees the settings but cannot change them, not even by direct requests', async () => {
  const { page: theirs } = supervisor;
  await open(`${home}/agents?open=ada-byron`, theirs);
  await sheet(theirs).getByText('Devices', { exact: true }).waitFor();
  expect(await sheet(theirs).getByRole('textbox').count()).toBe(0);
  for (const path of ['/app/tenants', `${home}/queues/sales`, `${home}/lines`, `${home}/agents`]) {
    await open(path, theirs);
    const names = await theirs.locator('main').getByRole('button').allTextContents();
    expect(
      names.filter((name) => /new|save|delete|add/i.test(name)),
      path,
    ).toEqual([]);
  }
  const status = (method: string, path: string) =>
    theirs.evaluate(
      async ([verb, address, header]) => {
        const headers = { [header as string]: '1', 'content-type': 'application/json' };
        return (await fetch(address as string, { method: verb as string, headers, body: '{"name":"X"}' }))
          .status;
      },
      [method, path, SESSION_HEADER],
    );
  expect(await status('PUT', '/v1/tenants/corner-shop/agents/ada-byron')).toBe(403);
  expect(await status('POST', '/v1/api-keys')).toBe(403);
  expect(await status('POST', '/v1/webhook/test')).toBe(403);
  for (const path of ['/app/keys', '/app/webhook', '/app/push', '/app/embed', `${home}/phone`])
    expect((await theirs.goto(`${t.baseUrl}${path}`))?.status(), path).toBe(404);
});

/** pages.e2e.test.ts checks the initial state of the pages. */
test('axe finds no serious violations in the sheets and dialogs of the pages, light and dark', async () => {
  const paths = [
    '/app/tenants?open=corner-shop',
    '/app/webhook?tab=settings',
    `${home}/agents?open=ada-byron`,
    `${home}/lines?open=main`,
  ];
  for (const path of paths) {
    await open(path);
    if (path.includes('open=')) await sheet().waitFor();
    expect(await axeViolations(page, { within: SHEET }), path).toEqual([]);
  }
});

test('no page has an error in its console', () => {
  const errors = owner.log.filter((line) => line.startsWith('error') && !/status of (400|404)/.test(line));
  expect(errors).toEqual([]);
});
