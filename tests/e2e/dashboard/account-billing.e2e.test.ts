/** What the account owes the operator, in the dashboard of its owners: the operator changes it on the command line. */
import { readFile } from 'node:fs/promises';
import { TestBrowser, type BrowserPage } from '@clarion/testkit/agents/browser';
import { axeViolations } from '@clarion/testkit/agents/axe';
import { createOwner, createStaff, settled, signIn } from '@clarion/testkit/stack/dashboard';
import { TestStack } from '@clarion/testkit/stack/stack';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const SHOWN_WITHIN_MS = 20_000;
const BILLING = '/app/billing';
const PAGE_ROWS = 50;

let t: TestStack;
let browser: TestBrowser;
let owner: BrowserPage;
let page: Page;

beforeAll(async () => {
  browser = await TestBrowser.launch();
  t = await TestStack.share();
  owner = await browser.open(t.baseUrl);
  ({ page } = owner);
  page.setDefaultTimeout(SHOWN_WITHIN_MS);
  await signIn(page, t.baseUrl, await createOwner(t));
});
afterEach(() => t.release());
afterAll(async () => {
  await browser?.close();
  await t?.stop();
});

const operator = (command: string, ...options: string[]) =>
  t.clarion(['billing', command, '--slug', t.account.slug, ...options]);
const adjust = (amount: string, reason: string) => operator('adjust', '--amount', amount, '--reason', reason);
async function open(): Promise<void> {
  await page.goto(`${t.baseUrl}${BILLING}`);
  await settled(page);
}
const transaction = (text: RegExp) =>
  page.getByRole('table', { name: 'Transactions' }).getByRole('row', { name: text });
async function press(locator: Locator): Promise<void> {
  await locator.focus();
  await page.keyboard.press('Enter');
}
/** Light and wide, dark and narrow. */
async function looksRight(): Promise<void> {
  for (const [theme, width] of [
    ['light', 1440],
    ['dark', 390],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    expect(await axeViolations(page, { themes: [theme] })).toEqual([]);
    const beyond = () => document.documentElement.scrollWidth - window.innerWidth;
    expect(await page.evaluate(beyond)).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

test('an owner finds the page by keyboard, and reads what it means that there is no account', async () => {
  await press(page.getByRole('link', { name: 'Account billing', exact: true }));
  await page.waitForURL((url) => url.pathname === BILLING);
  await page.getByText('The operator has not opened a billing account for you.', { exact: false }).waitFor();
  await page.getByText('You are not on a price plan', { exact: false }).waitFor();
  await settled(page);
  await looksRight();

  const plan = ['price-plan', 'create', '--name', 'Wholesale', '--currency', 'GBP'];
  const { id } = await t.clarion<{ id: number }>(plan);
  await t.clarion(['plan', 'set', '--slug', t.account.slug, '--price-plan', String(id)]);
  await open();
  await page.getByText(`You are on its price plan ${id}`, { exact: false }).waitFor();
  await press(page.getByRole('main').getByRole('link', { name: 'Usage', exact: true }));
  await page.waitForURL((url) => url.pathname === '/app/prices/usage');
});

test('a prepaid account shows its balance in words, and when it is low or used up', async () => {
  await operator('open', '--mode', 'PREPAID', '--currency', 'GBP');
  await open();
  await page.getByText('Calls are refused: the balance is used up').waitFor();
  await page.getByText('No transactions yet').waitFor();
  await operator('top-up', '--amount', '1250', '--reference', 'bank transfer 7712');
  await open();
  await page.getByText('1,250.00 GBP').waitFor();
  await page.getByText('Paid in advance').waitFor();
  await page.getByText(/^Plan \d+$/).waitFor();
  await transaction(/Top-up bank transfer 7712 \+1,250\.00 1,250\.00$/).waitFor();

  await adjust('-1200', 'set-up of two SIP trunks');
  await open();
  await page.getByText('The balance is low', { exact: false }).waitFor();
  await looksRight();

  await adjust('-90.5', 'a chargeback');
  await open();
  await page.getByText('-40.50 GBP').waitFor();
  await page.getByText('You owe this to the operator').waitFor();
  await page.getByText('Calls are refused: the balance is used up').waitFor();
  await transaction(/Adjustment a chargeback -90\.50 -40\.50$/).waitFor();
  await looksRight();
});

test('a postpaid account shows its credit limit, and that most of it is owed', async () => {
  await operator('set', '--mode', 'POSTPAID', '--credit-limit', '44', '--invoice-due-days', '30');
  await open();
  await page.getByText('44.00 GBP').waitFor();
  await page.getByText('30 days').waitFor();
  await page.getByText('You owe more than 90 % of your credit limit').waitFor();
  await operator('set', '--credit-limit', '500');
  await open();
  await page.getByText('500.00 GBP').waitFor();
  expect(await page.getByText('more than 90 %').count()).toBe(0);
  await looksRight();
});

test('older transactions are on further pages, which the keyboard reaches', async () => {
  for (let amount = 1; amount <= PAGE_ROWS; amount += 1) await adjust(String(amount), `credit ${amount}`);
  await open();
  await transaction(/credit 50 /).waitFor();
  expect(await transaction(/bank transfer 7712/).count()).toBe(0);
  await press(page.getByRole('button', { name: 'Next', exact: true }));
  await transaction(/bank transfer 7712/).waitFor();
  expect(new URL(page.url()).searchParams.get('page')).toBe('2');
});

test('invoices of the operator can be downloaded', async () => {
  await operator('set', '--mode', 'PREPAID');
  await open();
  await page.getByRole('heading', { name: 'Transactions', exact: true }).waitFor();
  expect(await page.getByRole('heading', { name: 'Invoices', exact: true }).count()).toBe(0);
  await operator('set', '--mode', 'POSTPAID');
  await adjust('-2500', 'a set-up fee');
  await operator('set', '--mode', 'PREPAID');
  await open();
  const invoices = page.getByRole('table', { name: 'Invoices' });
  await invoices.getByRole('row', { name: /OP-\d{6} .*GBP/ }).waitFor();
  for (const [format, name, start] of [
    ['PDF file', /^OP-\d{6}\.pdf$/, /^%PDF-/],
    ['CSV file', /^OP-\d{6}\.csv$/, /^Invoice,/],
  ] as const) {
    await press(page.getByRole('button', { name: /^Download OP-/ }));
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      press(page.getByRole('menuitem', { name: format, exact: true })),
    ]);
    expect(file.suggestedFilename()).toMatch(name);
    expect(await readFile(await file.path(), 'latin1')).toMatch(start);
  }
  await looksRight();
});

test('an administrator does not see the page', async () => {
  const { page: theirs } = await browser.open(t.baseUrl);
  await signIn(theirs, t.baseUrl, await createStaff(t, { role: 'ADMIN' }));
  expect(await theirs.getByRole('link', { name: 'Account billing' }).count()).toBe(0);
  const response = await theirs.goto(`${t.baseUrl}${BILLING}`);
  expect(response?.status()).toBe(404);
});

test('no page has an error in its console', () => {
  expect(owner.log.filter((line) => line.startsWith('error'))).toEqual([]);
});
