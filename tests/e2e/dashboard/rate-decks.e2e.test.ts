/** Rate decks in the dashboard: a carrier's file from the wizard to prices, what a call costs, and changes of one price. */
import { TestBrowser, type BrowserPage } from '@clarion/testkit/agents/browser';
import { axeViolations } from '@clarion/testkit/agents/axe';
import { createOwner, settled, signIn } from '@clarion/testkit/stack/dashboard';
import { TestStack } from '@clarion/testkit/stack/stack';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const SHOWN_WITHIN_MS = 15_000;

let t: TestStack;
let browser: TestBrowser;
let owner: BrowserPage;
let page: Page;
let deckId: number;

beforeAll(async () => {
  browser = await TestBrowser.launch();
  t = await TestStack.share();
  owner = await browser.open(t.baseUrl);
  ({ page } = owner);
  page.setDefaultTimeout(SHOWN_WITHIN_MS);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await signIn(page, t.baseUrl, await createOwner(t));
});
afterEach(() => t.release());
afterAll(async () => {
  await browser?.close();
  await t?.stop();
});

async function open(path: string): Promise<void> {
  await page.goto(`${t.baseUrl}${path}`);
  await settled(page);
}
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const field = (label: string) => page.getByRole('textbox', { name: label, exact: true });
const row = (name: RegExp) => page.getByRole('row', { name });
const choose = (name: string, text: string) =>
  page
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text, 'utf8') });
const focusIsOn = (label: string) =>
  page.waitForFunction((name) => document.activeElement?.getAttribute('aria-label') === name, label);

interface Entry {
  prefix: string;
  destination: string | null;
  rate: string;
  initialSeconds: number;
  incrementSeconds: number;
  effectiveFrom: string;
}
const entriesNow = async (query = '') =>
  (await t.v1.ok<{ entries: Entry[] }>('GET', `/v1/rate-decks/${deckId}/entries${query}`)).entries;

test("an owner creates a deck and imports a carrier's file, and nothing is changed before the last button", async () => {
  await open('/app/prices/decks');
  await page.getByText('No rate decks yet').waitFor();
  await button('New rate deck').first().click();
  await field('Name').fill('Carrier UK');
  await button('Create rate deck').click();
  await page.waitForURL(/\/prices\/decks\/\d+$/);
  deckId = Number(page.url().split('/').at(-1));
  await page.getByRole('link', { name: 'Import a file' }).first().click();

  await choose('rates.xlsx', 'PK');
  await page.getByText('pick the format CSV (UTF-8)', { exact: false }).waitFor();
  // No known heading for the rate, decimal commas, dates that can be read either way, and a row without a rate.
  const lines = [
    'Code;Zone;Tarif;Effective Date',
    '44;UK;0,01;01/02/2026',
    '4420;London;0,012;',
    '447;Mobile;;',
  ];
  await choose('rates.csv', lines.join('\n'));
  await page.getByRole('heading', { name: 'How is it read?' }).waitFor();
  await page.getByText('The column with the rate was not found').waitFor();
  await button('Continue').click();
  await page.getByText('Choose the column with the rates.').waitFor();
  await page.getByRole('combobox', { name: 'Rate' }).click();
  await page.getByRole('option', { name: /Tarif/ }).click();
  await page.getByText('The column with the rate was not found').waitFor({ state: 'detached' });
  await page.getByText('Does the day or the month come first?').waitFor();
  await page.getByText('read as 1 February 2026', { exact: false }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await settled(page);
  await button('Continue').click();

  await page.getByRole('heading', { name: 'What does it change?' }).waitFor();
  await row(/^4420 London Added/).waitFor();
  await row(/^4 The rate "" is not/).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  expect(await entriesNow()).toEqual([]);
  await button('Import 2 changes').click();
  await page.getByRole('heading', { name: 'The file was imported' }).waitFor();
  await page.getByText('1 row was skipped.', { exact: false }).waitFor();
  expect(await entriesNow()).toMatchObject([
    { prefix: '44', destination: 'UK', rate: '0.01', effectiveFrom: '2026-02-01T00:00:00.000Z' },
    { prefix: '4420', destination: 'London', rate: '0.012' },
  ]);
});

test('a file that lacks prices says that they end, unless it contains changes only', async () => {
  await open(`/app/prices/decks/${deckId}/import`);
  await choose('changes.csv', 'Code;Zone;Tarif\n4420;London;0,011');
  await button('Continue').click();
  await page.getByText('1 price will end').waitFor();
  await page.getByRole('radio', { name: /Only changes/ }).click();
  await page.getByText('1 price will end').waitFor({ state: 'detached' });
  await row(/^4420 London Changed 0.0120 0.0110/).waitFor();
});

test('a number shows the price that applies, and what a call costs', async () => {
  await open(`/app/prices/decks/${deckId}`);
  await page.getByRole('searchbox').fill('+44 20 7946 0123');
  const first = page.getByRole('table', { name: 'Prices' }).getByRole('row').nth(1);
  await first.getByText('Prices this number').waitFor();
  expect(await first.textContent()).toContain('4420');
  await field('Number').fill('+44 20 7946 0123');
  await field('Duration').fill('61');
  await page.keyboard.press('Enter');
  await page.getByText('0.024 USD').waitFor();
  await page.getByText('Billed for 2 min by prefix 4420', { exact: false }).waitFor();
});

test('a price is changed in its row with the keyboard, and its history shows the old one', async () => {
  await open(`/app/prices/decks/${deckId}`);
  await button('Edit the price of 4420').press('Enter');
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'rate');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing differs from the price in force.').waitFor();
  await field('First block of 4420').fill('4000');
  await page.keyboard.press('Enter');
  await page.getByText('Must be at most 3600.').waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'initial_seconds');
  await field('First block of 4420').fill('30');
  await field('Rate of 4420').fill('0,0125');
  expect(await axeViolations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByText('Prefix 4420 now costs 0.0125 USD per minute').first().waitFor();
  await focusIsOn('Edit the price of 4420');
  expect(await entriesNow('?q=4420')).toMatchObject([
    { prefix: '44' },
    { prefix: '4420', rate: '0.0125', initialSeconds: 30, incrementSeconds: 60 },
  ]);

  await button('Price history of 4420').click();
  const history = page.getByRole('dialog', { name: 'Price history of 4420' });
  await history.getByRole('row', { name: /^In force 0.0125 30\/60/ }).waitFor();
  await history.getByRole('row', { name: /^Ended 0.0120 60\/60/ }).waitFor();
  await page.keyboard.press('Escape');
});

test('a prefix has one price: a second one is rejected at its field', async () => {
  await open(`/app/prices/decks/${deckId}`);
  await button('Add a price').click();
  await field('Prefix').fill('+44 20');
  await field('Rate').fill('0.02');
  await page.keyboard.press('Enter');
  await page.getByText('Prefix 4420 already has a price.').waitFor();
  expect(await field('Prefix').getAttribute('aria-invalid')).toBe('true');
  await field('Prefix').fill('4421');
  await page.keyboard.press('Enter');
  await row(/^4421/).waitFor();
  await button('Delete the price of 4421').click();
  await button('End price').click();
  // While the dialog is open, it hides the table from everybody, so the row alone shows nothing.
  await expect.poll(async () => (await entriesNow()).map(({ prefix }) => prefix)).toEqual(['44', '4420']);
  await row(/^4421/).waitFor({ state: 'detached' });
});

test('the prices of the current filter can be downloaded', async () => {
  await open(`/app/prices/decks/${deckId}?q=London`);
  await page.getByText('1 price matches the filters').waitFor();
  await button('Export').click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'CSV file' }).click(),
  ]);
  const text = readFileSync(await file.path(), 'utf8');
  expect(text.split('\r\n')[1]).toMatch(/^London,4420,0.0125,/);
  expect(text.trim().split('\r\n')).toHaveLength(2);
});

test('the log shows the file and the edits, and the deck can be deleted', async () => {
  await open(`/app/prices/decks/${deckId}?tab=log`);
  await row(/rates\.csv Full file 2 prices added, 1 row skipped/).waitFor();
  await row(/Prefix 4420 costs 0.0125 instead of 0.012\. Edit/).waitFor();
  await button('Delete').click();
  await button('Delete rate deck').click();
  await page.waitForURL((url) => url.pathname === '/app/prices/decks');
  await page.getByText('No rate decks yet').waitFor();
});

test('no page has an error in its console', () => {
  const errors = owner.log.filter((line) => line.startsWith('error') && !/status of 4\d\d/.test(line));
  expect(errors).toEqual([]);
});
