/** Usage and the route preview in the dashboard: what calls cost, pricing them again, and what would happen to a call. */
import { TestBrowser, type BrowserPage } from '@clarion/testkit/agents/browser';
import { axeViolations } from '@clarion/testkit/agents/axe';
import { openCallCentre } from '@clarion/testkit/stack/call-centre';
import { createOwner, createStaff, settled, signIn } from '@clarion/testkit/stack/dashboard';
import { TestStack } from '@clarion/testkit/stack/stack';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const SHOWN_WITHIN_MS = 20_000;
const LONDON = '+442079460123';

let t: TestStack;
let browser: TestBrowser;
let owner: BrowserPage;
let page: Page;

beforeAll(async () => {
  browser = await TestBrowser.launch();
  t = await TestStack.share();
  await openCallCentre(t);
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

async function open(path: string): Promise<void> {
  await page.goto(`${t.baseUrl}${path}`);
  await settled(page);
}
const button = (name: string) => page.getByRole('button', { name, exact: true });
const record = (text: RegExp) =>
  page.getByRole('table', { name: 'Usage records' }).getByRole('row', { name: text });
async function choose(label: string, option: string | RegExp): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('option', { name: option }).first().click();
}

test('usage without prices says what to do, is priced again, and is exported', async () => {
  const tenant = await t.db.tenant.findFirstOrThrow({
    // Other files have a tenant with this ref on the same stack.
    where: { ref: 'shop', consumer: { slug: t.account.slug } },
  });
  await open('/app/prices/usage');
  await page.getByText('No usage in this period').waitFor();
  expect(await axeViolations(page)).toEqual([]);

  const { id: callId } = await t.db.call.create({
    data: {
      consumerId: tenant.consumerId,
      tenantId: tenant.id,
      channelRef: 'main',
      channelType: 'SIP',
      direction: 'OUTBOUND',
      status: 'TERMINATED',
      customerAddress: LONDON,
      customerAddressType: 'E164',
    },
  });
  await t.db.usageRecord.create({
    data: {
      consumerId: tenant.consumerId,
      tenantId: tenant.id,
      tenantRef: 'shop',
      callId,
      kind: 'CALL',
      direction: 'OUTBOUND',
      channelType: 'SIP',
      trunkOwner: 'CONSUMER',
      sipTrunkId: t.account.trunkId,
      seconds: 89,
      connectedSeconds: 90,
      pricedNumber: LONDON.slice(1),
      startedAt: new Date(Date.now() - 150_000),
      createdAt: new Date(Date.now() - 60_000),
    },
  });
  await open('/app/prices/usage');
  await record(/shop Outbound call Own trunk .* No rate deck applies to this call\./).waitFor();
  await page.getByText('1 call on this page without a carrier cost', { exact: false }).waitFor();

  const { deck } = await t.v1.ok<{ deck: { id: number } }>('POST', '/v1/rate-decks', {
    name: 'Carrier',
    kind: 'BUY',
  });
  const price = { prefix: '4420', destination: 'London', rate: '0.02' };
  await t.v1.ok('POST', `/v1/rate-decks/${deck.id}/entries`, price);
  await t.v1.ok('PUT', `/v1/sip-trunks/${t.account.trunkId}/rate-decks`, { buy_deck_id: deck.id });
  const { plan } = await t.v1.ok<{ plan: { id: number } }>('POST', '/v1/price-plans', {
    name: 'Standard',
    items: [{ kind: 'CALL', method: 'DECK_MARKUP', markup_percent: '50' }],
  });
  await t.v1.ok('PUT', '/v1/tenants/shop/price-plan', { price_plan_id: plan.id });
  await button('Price again').click();
  await page.getByRole('alertdialog').getByText('do not change', { exact: false }).waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Price again' }).click();
  await page.getByText('1 record without a price was priced again, and 2 prices were found.').waitFor();
  await record(/0\.0400 USD .*0\.0600 USD Markup of 50% 0\.0200 USD$/).waitFor();
  await page.getByRole('row', { name: /^USD 0\.0400 USD .*0\.0600 USD 0\.0200 USD$/ }).waitFor();
  expect(await axeViolations(page)).toEqual([]);

  const [file] = await Promise.all([page.waitForEvent('download'), button('Export CSV').click()]);
  const [header = '', row = ''] = readFileSync(await file.path(), 'utf8').split('\r\n');
  expect(header).toMatch(/^\uFEFFid,createdAt,day,tenantRef,/);
  expect(row).toMatch(/,90,120,,0\.04,USD,,,,0\.06,USD,DECK_MARKUP,50,0\.02,USD$/);
});

test('a route is previewed by keyboard, with its prices, and a refusal leads to what to change', async () => {
  await open('/app/prices/route');
  await choose('Tenant', 'shop');
  await choose('Line', /\+44/);
  await page.getByRole('textbox', { name: 'Number to call' }).fill('00 44 20 7946 0123');
  await page.keyboard.press('Enter');
  const result = page.getByRole('status').filter({ hasText: 'The call' });
  await result.getByText(`The call to ${LONDON} would be placed over`, { exact: false }).waitFor();
  const trunk = page.getByRole('article').first();
  await trunk.getByText('0.0200 USD per minute, in blocks of 60/60 seconds, with a markup of 50%').waitFor();
  await trunk.getByText('Prefix 4420 (London) of').first().waitFor();
  await trunk.getByText('0.0100 USD', { exact: true }).waitFor();
  expect(await axeViolations(page)).toEqual([]);

  await page.getByRole('textbox', { name: 'Number to call' }).fill('999');
  await button('Preview route').click();
  await result.getByText('The call would be refused.', { exact: false }).waitFor();
  const rules = page.getByRole('list', { name: 'Rules' }).getByRole('listitem');
  await rules.nth(4).getByText('Emergency calls are not supported', { exact: false }).waitFor();
  expect(await rules.nth(5).textContent()).toContain('Not checked');
  expect(await page.getByRole('article').count()).toBe(0);
});

test('an administrator sees neither page', async () => {
  const { page: theirs } = await browser.open(t.baseUrl);
  await signIn(theirs, t.baseUrl, await createStaff(t, { role: 'ADMIN' }));
  expect(await theirs.getByRole('link', { name: 'Usage' }).count()).toBe(0);
  const response = await theirs.goto(`${t.baseUrl}/app/prices/usage`);
  expect(response?.status()).toBe(404);
});

test('no page has an error in its console', () => {
  const errors = owner.log.filter((line) => line.startsWith('error') && !/status of 4\d\d/.test(line));
  expect(errors).toEqual([]);
});
