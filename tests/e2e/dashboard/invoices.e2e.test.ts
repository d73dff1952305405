/** Invoices of a tenant in the dashboard: shown, downloaded and marked as paid by keyboard, and read by a launched person. */
import { readFile } from 'node:fs/promises';
import { axeViolations } from '@clarion/testkit/agents/axe';
import { TestBrowser, type BrowserPage } from '@clarion/testkit/agents/browser';
import { createOwner, settled, signIn } from '@clarion/testkit/stack/dashboard';
import { TestStack } from '@clarion/testkit/stack/stack';
import { signToken } from '@clarion/testkit/stack/token';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const SHOWN_WITHIN_MS = 20_000;
const BILLING = '/app/t/shop/billing';
const NUMBER = 'CL-000001';

let t: TestStack;
let browser: TestBrowser;
let owner: BrowserPage;
let page: Page;

beforeAll(async () => {
  browser = await TestBrowser.launch();
  t = await TestStack.share();
  await t.v1.ok('PUT', '/v1/tenants/shop', { name: 'Shop' });
  await t.v1.ok('PUT', '/v1/tenants/shop/billing-account', { mode: 'POSTPAID', currency: 'GBP' });
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

async function open(on: Page = page): Promise<void> {
  await on.goto(`${t.baseUrl}${BILLING}`);
  await settled(on);
}
const row = (text: RegExp, on: Page = page) =>
  on.getByRole('table', { name: 'Invoices' }).getByRole('row', { name: text });
async function press(locator: Locator): Promise<void> {
  await locator.focus();
  await page.keyboard.press('Enter');
}
async function download(format: string, on: Page): Promise<{ name: string; content: Buffer }> {
  await on.getByRole('button', { name: `Download ${NUMBER}`, exact: true }).click();
  const [file] = await Promise.all([
    on.waitForEvent('download'),
    on.getByRole('menuitem', { name: format, exact: true }).click(),
  ]);
  return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
}

test('without an invoice, the page says when the first one is made', async () => {
  await open();
  await page.getByText('No invoices yet').waitFor();
  await page.getByText('The first one is made on the 1st of next month (UTC)', { exact: false }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
});

test('an invoice is shown with its total and due date, and why calls are refused when it is overdue', async () => {
  await t.v1.ok('POST', '/v1/tenants/shop/billing/adjustments', { amount: '-1234.565', reason: 'set-up' });
  await t.v1.ok('PUT', '/v1/tenants/shop/billing-account', { mode: 'PREPAID', currency: 'GBP' });
  await open();
  await row(/CL-000001 .*Open .*1,234\.57 GBP/).waitFor();
  await page.getByRole('row', { name: /Rounding of invoice CL-000001 -0\.005/ }).waitFor();
  const consumer = { slug: t.account.slug };
  await t.db.invoice.updateMany({ where: { consumer }, data: { dueAt: new Date('2026-01-16T00:10:00Z') } });
  await t.db.billingAccount.updateMany({ where: { consumer }, data: { status: 'OUTBOUND_BLOCKED' } });
  await open();
  await row(/Overdue 16 Jan 2026/).waitFor();
  await page.getByText('Outbound calls are refused: an invoice is overdue').waitFor();
  expect(await axeViolations(page)).toEqual([]);
});

test('a person launched into the tenant can read and download it, and cannot mark it as paid', async () => {
  const now = Math.floor(Date.now() / 1000);
  const claims = { tnt: 'shop', sub: 'user-7', name: 'Grace', role: 'SUPERVISOR', jti: 'invoices', iat: now };
  const whose = { iss: t.account.slug, aud: 'clarion-dashboard', exp: now + 300 };
  const token = signToken(t.account.signingKey, { ...claims, ...whose });
  const { page: theirs } = await browser.open(`${t.baseUrl}/app/launch#token=${token}`);
  theirs.setDefaultTimeout(SHOWN_WITHIN_MS);
  await theirs.waitForURL((url) => url.pathname === '/app');
  await open(theirs);
  await row(/CL-000001/, theirs).waitFor();
  expect(await theirs.getByRole('button', { name: /as paid/ }).count()).toBe(0);
  const pdf = await download('PDF file', theirs);
  expect(pdf.name).toBe(`${NUMBER}.pdf`);
  expect(pdf.content.subarray(0, 5).toString()).toBe('%PDF-');
  const csv = await download('CSV file', theirs);
  expect(csv.name).toBe(`${NUMBER}.csv`);
  expect(csv.content.toString()).toContain('Adjustments,1,1234.565,GBP');
});

test('an owner marks it as paid by keyboard, and the account works again', async () => {
  await open();
  await press(page.getByRole('button', { name: `Mark as paid: ${NUMBER}`, exact: true }));
  const dialog = page.getByRole('alertdialog', { name: `Mark invoice ${NUMBER} as paid?`, exact: true });
  await dialog.getByText('1,234.57 GBP is added to the balance', { exact: false }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await press(dialog.getByRole('button', { name: 'Mark as paid', exact: true }));
  await dialog.waitFor({ state: 'detached' });
  await row(/CL-000001 .*Paid/).waitFor();
  await page.getByText(`Invoice ${NUMBER} is paid`).first().waitFor();
  await page.getByRole('row', { name: /Invoice paid Invoice CL-000001 \+1,234\.57 0\.00/ }).waitFor();
  expect(await page.getByRole('button', { name: /as paid/ }).count()).toBe(0);
  expect(await page.getByText('an invoice is overdue').count()).toBe(0);
  expect(await t.v1.ok('GET', '/v1/tenants/shop/billing')).toMatchObject({
    account: { status: 'ACTIVE', balance: '0' },
  });
  expect(await axeViolations(page)).toEqual([]);
});

test('no page has an error in its console', () => {
  expect(owner.log.filter((line) => line.startsWith('error'))).toEqual([]);
});
