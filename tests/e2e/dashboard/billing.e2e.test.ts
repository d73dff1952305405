/** The billing account of a tenant in the dashboard: opened, topped up and adjusted by keyboard, and read by a launched person. */
import { TestBrowser, type BrowserPage } from '@clarion/testkit/agents/browser';
import { axeViolations } from '@clarion/testkit/agents/axe';
import { intend, openCallCentre } from '@clarion/testkit/stack/call-centre';
import { createOwner, createStaff, pollsAgain, settled, signIn } from '@clarion/testkit/stack/dashboard';
import { TestStack } from '@clarion/testkit/stack/stack';
import { signToken } from '@clarion/testkit/stack/token';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const SHOWN_WITHIN_MS = 20_000;
const BILLING = '/app/t/shop/billing';

let t: TestStack;
let browser: TestBrowser;
let owner: BrowserPage;
let page: Page;

beforeAll(async () => {
  browser = await TestBrowser.launch();
  t = await TestStack.share();
  await t.v1.ok('PUT', '/v1/tenants/shop', { name: 'Shop' });
  owner = await browser.open(t.baseUrl);
  ({ page } = owner);
  page.setDefaultTimeout(SHOWN_WITHIN_MS);
  await page.clock.install();
  await signIn(page, t.baseUrl, await createOwner(t));
});
afterEach(() => t.release());
afterAll(async () => {
  await browser?.close();
  await t?.stop();
});

async function open(path: string, on: Page = page): Promise<void> {
  await on.goto(`${t.baseUrl}${path}`);
  await settled(on);
}
const button = (name: string) => page.getByRole('button', { name, exact: true });
const dialog = (name: string) => page.getByRole('dialog', { name, exact: true });
/** Labels of optional fields say so. */
const field = (name: string) => page.getByRole('textbox', { name: new RegExp(`^${name}( Optional)?$`) });
const transaction = (text: RegExp) =>
  page.getByRole('table', { name: 'Transactions' }).getByRole('row', { name: text });

const isFocused = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => element === document.activeElement);
/** A dialog receives the focus a moment after it is shown. */
const hasFocus = (locator: Locator) => expect.poll(() => isFocused(locator)).toBe(true);
async function tabTo(locator: Locator): Promise<void> {
  await locator.waitFor();
  while (!(await isFocused(locator))) await page.keyboard.press('Tab');
}
async function press(locator: Locator): Promise<void> {
  await locator.focus();
  await page.keyboard.press('Enter');
}
async function type(locator: Locator, text: string): Promise<void> {
  await tabTo(locator);
  await page.keyboard.type(text);
}
interface Billing {
  account: { mode: string; currency: string; balance: string; creditLimit: string | null } | null;
}
const accountNow = async () => (await t.v1.ok<Billing>('GET', '/v1/tenants/shop/billing')).account;

test('an owner opens an account by keyboard, in the currency of the price plan', async () => {
  const { plan } = await t.v1.ok<{ plan: { id: number } }>('POST', '/v1/price-plans', {
    name: 'Standard',
    currency: 'GBP',
  });
  await t.v1.ok('PUT', '/v1/tenants/shop/price-plan', { price_plan_id: plan.id });
  await open('/app/tenants?open=shop');
  await press(page.getByRole('link', { name: 'Billing', exact: true }).last());
  await page.waitForURL((url) => url.pathname === BILLING);
  await page.getByText('No billing account yet').waitFor();
  await settled(page);
  expect(await axeViolations(page)).toEqual([]);

  await press(button('Open account'));
  const drawer = dialog('Open billing account');
  await drawer.getByText('which is in GBP', { exact: false }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  const save = drawer.getByRole('button', { name: 'Open account', exact: true });
  await tabTo(save);
  await page.keyboard.press('Enter');
  await drawer.waitFor({ state: 'detached' });
  await page.getByText('No transactions yet').waitFor();
  await page.getByText('Calls are refused: the balance is used up').waitFor();
  await page.getByRole('link', { name: 'Standard', exact: true }).waitFor();
  expect(await accountNow()).toMatchObject({ mode: 'PREPAID', currency: 'GBP', balance: '0' });
  expect(await axeViolations(page)).toEqual([]);
});

test('a top-up by keyboard shows an error at its field, and then the new balance', async () => {
  await open(BILLING);
  await press(button('Top up'));
  const drawer = dialog('Top up');
  await hasFocus(field('Amount'));
  await page.keyboard.type('0.001');
  await page.keyboard.press('Enter');
  await drawer.getByText('Must be at least 0.01', { exact: false }).waitFor();
  await hasFocus(field('Amount'));
  expect(await axeViolations(page)).toEqual([]);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('1250');
  await page.keyboard.press('Tab');
  await hasFocus(field('Reference'));
  await page.keyboard.type('card payment 7712');
  await page.keyboard.press('Enter');
  await drawer.waitFor({ state: 'detached' });
  await page.getByText('The balance is now 1,250.00 GBP').first().waitFor();
  await transaction(/Top-up card payment 7712 \+1,250\.00 1,250\.00$/).waitFor();
  expect(await accountNow()).toMatchObject({ balance: '1250' });
});

test('a top-up whose response was lost is booked once', async () => {
  await open(BILLING);
  await page.route(
    '**/billing/top-ups',
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await press(button('Top up'));
  await hasFocus(field('Amount'));
  await page.keyboard.type('10');
  await page.keyboard.press('Enter');
  await page.getByText('The service could not be reached', { exact: false }).waitFor();
  await tabTo(dialog('Top up').getByRole('button', { name: 'Top up', exact: true }));
  await page.keyboard.press('Enter');
  await dialog('Top up').waitFor({ state: 'detached' });
  expect(await accountNow()).toMatchObject({ balance: '1260' });
});

test('a debit by keyboard takes the balance below zero, with its reason', async () => {
  await open(BILLING);
  await press(button('Adjust balance'));
  const drawer = dialog('Adjust balance');
  const credit = drawer.getByRole('radio', { name: /^Credit/ });
  await hasFocus(field('Amount'));
  while (!(await isFocused(credit))) await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => drawer.getByRole('radio', { name: /^Debit/ }).isChecked()).toBe(true);
  await type(field('Amount'), '-1300');
  await type(field('Reason'), 'a chargeback');
  await page.keyboard.press('Enter');
  await drawer.getByText('Enter the amount without a sign.').waitFor();
  await hasFocus(field('Amount'));
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('1300.5');
  await page.keyboard.press('Enter');
  await drawer.waitFor({ state: 'detached' });
  await transaction(/Adjustment a chargeback -1,300\.50 -40\.50$/).waitFor();
  await page.getByText('Owed by the tenant').waitFor();
  expect(await accountNow()).toMatchObject({ balance: '-40.5' });
  expect(await axeViolations(page)).toEqual([]);
});

test('the account is made postpaid with a credit limit, and keeps its currency', async () => {
  await open(BILLING);
  await press(button('Edit account'));
  const drawer = dialog('Edit billing account');
  await drawer.getByText('Cannot be changed while the account has a balance.').waitFor();
  await tabTo(drawer.getByRole('radio', { name: /^Prepaid/ }));
  await page.keyboard.press('ArrowDown');
  await type(field('Credit limit'), '500');
  await page.keyboard.press('Enter');
  await drawer.waitFor({ state: 'detached' });
  await page.getByText('500.00 GBP').waitFor();
  expect(await button('Top up').count()).toBe(0);
  expect(await accountNow()).toMatchObject({ mode: 'POSTPAID', currency: 'GBP', creditLimit: '500' });
  expect(await axeViolations(page)).toEqual([]);
});

test('what calls in progress reserve is shown without reloading the page', async () => {
  await openCallCentre(t);
  const { plans } = await t.v1.ok<{ plans: { id: number; name: string }[] }>('GET', '/v1/price-plans');
  const { id } = plans.find(({ name }) => name === 'Standard') ?? { id: 0 };
  await t.v1.ok('PUT', `/v1/price-plans/${id}`, {
    ...{ name: 'Standard', currency: 'GBP' },
    items: [{ kind: 'CALL', method: 'FLAT', flat_rate: '0.75' }],
  });
  await open(BILLING);
  const reserved = page.getByText('For calls in progress');
  expect(await reserved.count()).toBe(0);
  const callId = await intend(t, 'ada');
  await pollsAgain(page);
  await reserved.waitFor();
  await page.getByText('0.75 GBP').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await t.v1.ok('POST', `/v1/calls/${callId}/terminate`);
  await pollsAgain(page);
  await reserved.waitFor({ state: 'detached' });
});

test('a person launched into the tenant reads the account and cannot change it', async () => {
  const now = Math.floor(Date.now() / 1000);
  const claims = { tnt: 'shop', sub: 'user-7', name: 'Grace', role: 'SUPERVISOR', jti: 'billing', iat: now };
  const whose = { iss: t.account.slug, aud: 'clarion-dashboard', exp: now + 300 };
  const token = signToken(t.account.signingKey, { ...claims, ...whose });
  const { page: theirs } = await browser.open(`${t.baseUrl}/app/launch#token=${token}`);
  theirs.setDefaultTimeout(SHOWN_WITHIN_MS);
  await theirs.waitForURL((url) => url.pathname === '/app');
  await theirs.getByRole('link', { name: 'Billing', exact: true }).click();
  await theirs.getByRole('row', { name: /a chargeback/ }).waitFor();
  await settled(theirs);
  for (const name of ['Edit account', 'Adjust balance', 'Top up']) {
    expect(await theirs.getByRole('button', { name, exact: true }).count()).toBe(0);
  }
  expect(await theirs.getByText('Price plan').count()).toBe(0);
  expect(await axeViolations(theirs)).toEqual([]);
});

test('an administrator does not see the page', async () => {
  const { page: theirs } = await browser.open(t.baseUrl);
  await signIn(theirs, t.baseUrl, await createStaff(t, { role: 'ADMIN' }));
  expect(await theirs.getByRole('link', { name: 'Billing' }).count()).toBe(0);
  const response = await theirs.goto(`${t.baseUrl}${BILLING}`);
  expect(response?.status()).toBe(404);
});

test('no page has an error in its console', () => {
  const errors = owner.log.filter(
    (line) => line.startsWith('error') && !/status of 4\d\d|net::ERR_FAILED/.test(line),
  );
  expect(errors).toEqual([]);
});
