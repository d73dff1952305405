/** Price plans in the dashboard: creating and changing them, their tenants, and the prices of carriers on trunks. */
import { TestBrowser } from '@clarion/testkit/agents/browser';
import { axeViolations } from '@clarion/testkit/agents/axe';
import { openCallCentre } from '@clarion/testkit/stack/call-centre';
import { createOwner, createStaff, settled, signIn } from '@clarion/testkit/stack/dashboard';
import { TestStack } from '@clarion/testkit/stack/stack';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const SHOWN_WITHIN_MS = 20_000;

let t: TestStack;
let browser: TestBrowser;
let page: Page;
let deckId: number;

interface Plan {
  id: number;
  name: string;
  tenants: number;
  items: Record<string, unknown>[];
}

beforeAll(async () => {
  browser = await TestBrowser.launch();
  t = await TestStack.share();
  await openCallCentre(t);
  const create = (body: object) => t.v1.ok<{ deck: { id: number } }>('POST', '/v1/rate-decks', body);
  ({ id: deckId } = (await create({ name: 'Retail', currency: 'GBP' })).deck);
  await create({ name: 'Dollars' });
  const price = { prefix: '4420', destination: 'London', rate: '0.024', increment_seconds: 1 };
  await t.v1.ok('POST', `/v1/rate-decks/${deckId}/entries`, price);
  ({ page } = await browser.open(t.baseUrl));
  page.setDefaultTimeout(SHOWN_WITHIN_MS);
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
const item = (index: number) => page.getByRole('group', { name: `Item ${index}`, exact: true });
async function choose(label: string, option: string | RegExp, within = page.locator('body')): Promise<void> {
  await within.getByRole('combobox', { name: new RegExp(`^${label}`) }).click();
  await page.getByRole('option', { name: option }).click();
}
/** The choices of the list that is open. */
async function optionTexts(): Promise<string[]> {
  const options = page.getByRole('option');
  await options.first().waitFor();
  return options.allTextContents();
}
const plans = async () => (await t.v1.ok<{ plans: Plan[] }>('GET', '/v1/price-plans')).plans;
const planNow = async (name: string): Promise<Plan> => {
  const found = (await plans()).find((plan) => plan.name === name);
  if (!found) throw new Error(`there is no plan ${name}`);
  return found;
};

test('an owner creates a plan, sees what its items cost, and an error leads to its field', async () => {
  await open('/app/prices/plans');
  await page.getByText('No price plans yet').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('link', { name: 'New price plan' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Standard');
  await page.getByRole('textbox', { name: 'Currency' }).fill('gbp');
  await item(1).getByRole('textbox', { name: 'Amount' }).fill('-1');
  await button('Create price plan').click();
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'items[0].flat_rate');
  await item(1).getByRole('textbox', { name: 'Amount' }).fill('0.01');
  await item(1).getByText('90 seconds are billed as 120 and cost 0.02 GBP', { exact: false }).waitFor();
  await choose('Direction', 'Inbound', item(1));

  await button('Add an item').click();
  await choose('Price', /Rate deck/, item(2));
  await item(2)
    .getByRole('combobox', { name: /^Rate deck/ })
    .click();
  expect(await optionTexts()).toEqual([expect.stringContaining('Retail')]);
  await page.getByRole('option', { name: /Retail/ }).click();
  await item(2).getByText('are billed as 90 and cost 0.036 GBP', { exact: false }).waitFor();
  await choose('Price', /Markup/, item(2));
  await item(2).getByRole('textbox', { name: 'Markup' }).fill('50');
  await item(2)
    .getByText('cost 0.054 GBP, of which 0.036 is the price of the deck', { exact: false })
    .waitFor();

  await button('Add an item').click();
  await choose('What is charged', 'Agents', item(3));
  await item(3).getByRole('textbox', { name: 'Amount' }).fill('9.50');
  await item(3).getByText('9.50 GBP per agent and month.').waitFor();
  await item(3).getByRole('button', { name: 'Move item 3 up' }).click();
  expect(await axeViolations(page)).toEqual([]);
  await button('Create price plan').click();
  await page.getByRole('heading', { name: 'Standard', level: 1 }).waitFor();
  const { id, items } = await planNow('Standard');
  expect(page.url()).toBe(`${t.baseUrl}/app/prices/plans/${id}`);
  expect(items).toMatchObject([
    { kind: 'CALL', method: 'FLAT', direction: 'INBOUND', flatRate: '0.01' },
    { kind: 'SEAT', method: 'FLAT', flatRate: '9.5' },
    { kind: 'CALL', method: 'DECK_MARKUP', deckId, markupPercent: '50' },
  ]);
});

test('a tenant is put on a plan, which then keeps its currency and is not deleted', async () => {
  const { id } = await planNow('Standard');
  await open('/app/tenants?open=shop');
  await choose('Price plan', /Standard/);
  await button('Save').click();
  await page.getByRole('dialog', { name: 'shop' }).waitFor({ state: 'detached' });
  expect((await planNow('Standard')).tenants).toBe(1);

  await open(`/app/prices/plans/${id}`);
  await page.getByRole('link', { name: 'shop', exact: true }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Currency' }).isDisabled()).toBe(true);
  await button('Delete').click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByText('is still used', { exact: false }).waitFor();
  await dialog.getByText('shop', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'OK' }).click();
});

test('a plan that tenants are on is saved without prices only after a question', async () => {
  const { id } = await planNow('Standard');
  await open(`/app/prices/plans/${id}`);
  for (let left = 3; left > 0; left -= 1) await button('Remove item 1').click();
  await button('Save changes').click();
  await page
    .getByRole('alertdialog')
    .getByText('The tenant on this plan is then not charged', { exact: false })
    .waitFor();
  expect((await planNow('Standard')).items).toHaveLength(3);
  await button('Save without prices').click();
  await page.getByText('All changes saved').waitFor();
  expect((await planNow('Standard')).items).toEqual([]);
});

test('a plan without tenants is deleted', async () => {
  const { id } = await planNow('Standard');
  await open('/app/tenants?open=shop');
  await choose('Price plan', 'None');
  await button('Save').click();
  await page.getByRole('dialog', { name: 'shop' }).waitFor({ state: 'detached' });
  await open(`/app/prices/plans/${id}`);
  await page.getByText('No tenant is on this plan yet', { exact: false }).waitFor();
  await button('Delete').click();
  await button('Delete price plan').click();
  await page.waitForURL((url) => url.pathname === '/app/prices/plans');
  await page.getByText('No price plans yet').waitFor();
});

test('an owner sets the rate decks of a trunk', async () => {
  const { deck } = await t.v1.ok<{ deck: { id: number } }>('POST', '/v1/rate-decks', {
    name: 'Carrier',
    kind: 'BUY',
  });
  await open(`/app/trunks/${t.account.trunkId}`);
  const prices = page.getByRole('region', { name: 'Prices of the carrier' });
  await prices.getByRole('combobox', { name: /^Outbound calls/ }).click();
  expect(await optionTexts()).toEqual(['None', expect.stringContaining('Carrier')]);
  await page.getByRole('option', { name: /Carrier/ }).click();
  await prices.getByRole('button', { name: 'Save prices' }).click();
  await page.getByText('The prices apply to new calls.').waitFor();
  const { trunk } = await t.v1.ok<{ trunk: object }>('GET', `/v1/sip-trunks/${t.account.trunkId}`);
  expect(trunk).toMatchObject({ buyDeckId: deck.id, inboundBuyDeckId: null });
  expect(await axeViolations(page)).toEqual([]);
});

test('an administrator provisions trunks and sees neither price plans nor rate decks', async () => {
  const { page: theirs } = await browser.open(t.baseUrl);
  theirs.setDefaultTimeout(SHOWN_WITHIN_MS);
  await signIn(theirs, t.baseUrl, await createStaff(t, { role: 'ADMIN' }));
  await open(`/app/trunks/${t.account.trunkId}`, theirs);
  await theirs.getByRole('region', { name: 'Lines' }).waitFor();
  expect(await theirs.getByText('Prices of the carrier').count()).toBe(0);
  expect(await theirs.getByRole('link', { name: 'Price plans' }).count()).toBe(0);
  await theirs.goto(`${t.baseUrl}/app/prices/plans`);
  await theirs
    .getByText('404')
    .or(theirs.getByText('not found', { exact: false }))
    .first()
    .waitFor();
});
