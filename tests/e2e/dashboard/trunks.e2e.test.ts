/** SIP trunks and numbers in the dashboard: from nothing to an active trunk, its check-up, its first call, and its numbers. */
import { TestBrowser, type BrowserPage } from '@clarion/testkit/agents/browser';
import { axeViolations } from '@clarion/testkit/agents/axe';
import { newNumber, openCallCentre } from '@clarion/testkit/stack/call-centre';
import { createOwner, createStaff, pollsAgain, settled, signIn } from '@clarion/testkit/stack/dashboard';
import { TestStack } from '@clarion/testkit/stack/stack';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const SHOWN_WITHIN_MS = 20_000;
const unknown = newNumber();

let t: TestStack;
let browser: TestBrowser;
let owner: BrowserPage;
let page: Page;
/** The number of the line `main` on the trunk of the account. */
let main: string;

beforeAll(async () => {
  browser = await TestBrowser.launch();
  // A source address of its own, so that the trunk on which a refusal is stored is certain.
  t = await TestStack.share({ address: '127.0.17.1' });
  ({ main } = await openCallCentre(t));
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
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const field = (label: string | RegExp) =>
  page.getByRole('textbox', { name: label, exact: typeof label === 'string' });
const step = () => page.locator('[aria-current=step]');
const region = (name: string) => page.getByRole('region', { name, exact: true });
const trunkPage = () => `/app/trunks/${t.account.trunkId}`;
const trunksNow = async () =>
  (await t.v1.ok<{ trunks: { id: number; name: string; status: string }[] }>('GET', '/v1/sip-trunks')).trunks;

test('an owner adds a trunk, and a wrong source address leads back to its field', async () => {
  await open('/app/trunks');
  await page.getByText('The operator approves each one before it has calls.').waitFor();
  await page.getByRole('link', { name: 'Add a trunk' }).first().click();
  await page.getByRole('heading', { name: 'Which carrier is it?' }).waitFor();
  await button('Continue').click();
  await page.getByText('Enter a name.').waitFor();
  expect(await field('Name').getAttribute('aria-invalid')).toBe('true');
  await field('Name').fill('carrier-uk');
  await page.keyboard.press('Enter');

  await page.getByRole('heading', { name: 'How does this service reach the carrier?' }).waitFor();
  await field('Host').fill('198.41.0.4');
  await page.getByRole('radio', { name: /Username and password/ }).click();
  await field('Username').fill('acme');
  await field('Password').fill('a secret of the carrier');
  await button('Continue').click();

  await field('Source addresses').fill('198.41.0.4, 10.0.0.1');
  await page.getByText('2 addresses entered.').waitFor();
  await field(/^Country code/).fill('44');
  await page.getByText('read as +442071838750', { exact: false }).waitFor();
  await button('Continue').click();

  await page.getByText('Codecs and encryption').click();
  await page.getByRole('switch', { name: 'Encrypt the audio (SRTP)' }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await button('Create trunk').click();
  await page.getByText('10.0.0.1 is not a public address or range.').waitFor();
  expect(await step().textContent()).toContain('Inbound calls');
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'inbound_source_cidrs');

  await field('Source addresses').fill('198.41.0.4\n198.41.0.64/28');
  await button('Continue').click();
  await button('Create trunk').click();
  await page.getByText('Waiting for the operator').first().waitFor();
  const [trunk] = (await trunksNow()).filter(({ name }) => name === 'carrier-uk');
  expect(trunk).toMatchObject({
    status: 'PENDING',
    hasCredentials: true,
    inboundSourceCidrs: ['198.41.0.4', '198.41.0.64/28'],
    numberRules: { country_code: '44' },
  });
  expect(page.url()).toBe(`${t.baseUrl}/app/trunks/${trunk?.id}`);
});

test('the page of a trunk follows what the operator decides, and switches the trunk off and on', async () => {
  const id = (await trunksNow()).find(({ name }) => name === 'carrier-uk')?.id ?? 0;
  await open(`/app/trunks/${id}`);
  const decide = (...args: string[]) => t.clarion(['trunk', ...args, '--id', String(id)]);
  await decide('reject', '--note', 'List all addresses of the carrier.');
  await pollsAgain(page);
  await page.getByText('List all addresses of the carrier.').waitFor();
  await button('Submit again').click();
  await page.getByText('Waiting for the operator').first().waitFor();
  await decide('approve');
  await pollsAgain(page);
  await page.getByText('Next: create a line').waitFor();

  await button('Disable').click();
  await button('Disable trunk').click();
  await page.getByText('The trunk is disabled').first().waitFor();
  await button('Enable').click();
  await page.getByText('Next: create a line').waitFor();
});

test('settings are saved with the stored credentials, until they are removed', async () => {
  const id = (await trunksNow()).find(({ name }) => name === 'carrier-uk')?.id ?? 0;
  const read = async () => (await t.v1.ok<{ trunk: object }>('GET', `/v1/sip-trunks/${id}`)).trunk;
  await open(`/app/trunks/${id}?tab=settings&field=max_calls`);
  await page.getByRole('switch', { name: 'Limit concurrent calls' }).click();
  await page.getByRole('textbox', { name: 'Concurrent calls' }).fill('0');
  await page.keyboard.press('Tab');
  await page.getByRole('textbox', { name: 'Concurrent calls' }).fill('25');
  await page.getByText('Unsaved changes').waitFor();
  await button('Save changes').click();
  await page.getByText('All changes saved').waitFor();
  expect(await read()).toMatchObject({ maxCalls: 25, hasCredentials: true, status: 'ACTIVE' });

  await button('Remove').click();
  await page.getByText('are removed when you save', { exact: false }).waitFor();
  await field('Source addresses').fill('');
  await button('Save changes').click();
  // An active trunk cannot be left without addresses.
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'inbound_source_cidrs');
  expect(await field('Source addresses').getAttribute('aria-invalid')).toBe('true');
  await field('Source addresses').fill('198.41.0.4');
  await button('Save changes').click();
  await page.getByText('All changes saved').waitFor();
  expect(await read()).toMatchObject({ hasCredentials: false, inboundSourceCidrs: ['198.41.0.4'] });
});

test('a trunk without lines can be deleted, one with lines names them', async () => {
  const id = (await trunksNow()).find(({ name }) => name === 'carrier-uk')?.id ?? 0;
  await open(trunkPage());
  await button('Delete').click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByRole('link', { name: main }).waitFor();
  await dialog.getByRole('button', { name: 'OK' }).click();
  await open(`/app/trunks/${id}`);
  await button('Delete').click();
  await button('Delete trunk').click();
  await page.waitForURL((url) => url.pathname === '/app/trunks');
  await page.getByRole('row', { name: /carrier-uk/ }).waitFor({ state: 'detached' });
  expect((await trunksNow()).map(({ name }) => name)).not.toContain('carrier-uk');
});

test('the check-up says line by line what works, and is allowed again after ten seconds', async () => {
  await open(trunkPage());
  await button('Check the trunk').click();
  const checks = region('Check-up').getByRole('list', { name: 'Check-up' });
  await checks.getByText('Response of the carrier (OPTIONS)').waitFor();
  await checks
    .getByRole('listitem')
    .filter({ hasText: 'OPTIONS' })
    .getByRole('img', { name: 'Works' })
    .waitFor();
  await page.getByText('A trunk can be checked once every 10 seconds', { exact: false }).waitFor();
  expect(await button('Check again').isDisabled()).toBe(true);
  expect(await axeViolations(page)).toEqual([]);
  await region('Connection').getByText('Up', { exact: true }).waitFor();
});

test('while somebody waits for the first call, a rejected one is explained, and one that arrives is reported', async () => {
  await open(trunkPage());
  await page.getByText('Waiting for the first call').waitFor();
  const wrong = await t.carrier.call(unknown, t.sip);
  await wrong.ended();
  await pollsAgain(page);
  const arrived = page.getByRole('list', { name: 'Calls that arrived' });
  await arrived.getByText(`was rejected: no line has the number ${unknown}.`, { exact: false }).waitFor();
  const create = arrived.getByRole('link', { name: `Create a line with ${unknown}` });
  const rejected = page.getByRole('row', { name: /No line has the number/ });
  await rejected.getByText('404').waitFor();
  await rejected.getByText('Create a line with this number on the trunk', { exact: false }).waitFor();
  expect(await rejected.getByRole('link', { name: 'Learn more' }).getAttribute('href')).toBe(
    '/docs/failures#number-without-line',
  );
  expect(await axeViolations(page)).toEqual([]);

  const right = await t.carrier.call(main, t.sip);
  await pollsAgain(page);
  await arrived.getByText('Your first call reached the line main.').waitFor();
  await right.hangUp();

  await create.click();
  const drawer = page.getByRole('dialog', { name: 'New line' });
  expect(await drawer.getByRole('textbox', { name: 'Number' }).inputValue()).toBe(unknown);
});

test('numbers show their line and trunk, and stay listed after they are released', async () => {
  const at = '/v1/tenants/shop/channels/spare';
  const spare = newNumber();
  await t.v1.ok('PUT', at, {
    type: 'SIP',
    address: spare,
    sip_trunk_id: t.account.trunkId,
    inbound_queue_ref: 'sales',
  });
  await open('/app/numbers');
  const row = (number: string) => page.getByRole('row', { name: new RegExp(number.replace('+', '\\+')) });
  await row(spare).getByText('Assigned').waitFor();
  expect(await row(spare).getByRole('link', { name: 'spare' }).getAttribute('href')).toBe(
    '/app/t/shop/lines?open=spare',
  );
  await t.v1.ok('DELETE', at);
  await open('/app/numbers?status=RELEASED');
  await row(spare).getByText('Released').waitFor();
  expect(await row(main).count()).toBe(0);
  await row(spare)
    .getByRole('link', { name: `carrier-of-${t.account.slug}` })
    .click();
  await page.waitForURL((url) => url.pathname === trunkPage());
});

test('a line can have a backup trunk', async () => {
  const { id } = await t.clarion<{ id: number }>([
    ...['trunk', 'create', '--slug', t.account.slug, '--name', 'second', '--active'],
    ...['--host', t.carrier.address, '--port', String(t.carrier.port), '--source', '127.0.0.1/32'],
  ]);
  await open('/app/t/shop/lines?open=main');
  await page.getByRole('combobox', { name: /^Backup trunk/ }).click();
  await page.getByRole('option', { name: /second/ }).click();
  await page
    .getByRole('combobox', { name: /^Backup trunk/ })
    .getByText('second')
    .waitFor();
  await button('Save').click();
  await page.getByRole('dialog', { name: main }).waitFor({ state: 'detached' });
  const { channel } = await t.v1.ok<{ channel: object }>('GET', '/v1/tenants/shop/channels/main');
  expect(channel).toMatchObject({ sipTrunkId: t.account.trunkId, backupSipTrunkId: id });
});

test('without self-service, the operator is named and nothing can be added', async () => {
  await t.clarion(['consumer', 'set', '--slug', t.account.slug, '--self-service', 'OFF']);
  try {
    await open('/app/trunks');
    await page
      .getByText('Only the operator of this service adds and changes trunks', { exact: false })
      .waitFor();
    expect(await page.getByRole('link', { name: 'Add a trunk' }).count()).toBe(0);
    await open('/app/trunks/new');
    await page.getByText('Trunks are added by the operator').waitFor();
    await open(trunkPage());
    expect(await button('Delete').count()).toBe(0);
  } finally {
    await t.clarion(['consumer', 'set', '--slug', t.account.slug, '--self-service', 'APPROVAL']);
  }
});

test('a supervisor sees the numbers without links to trunks, and no trunks', async () => {
  const { page: theirs } = await browser.open(t.baseUrl);
  theirs.setDefaultTimeout(SHOWN_WITHIN_MS);
  await signIn(theirs, t.baseUrl, await createStaff(t, { role: 'SUPERVISOR' }));
  await open('/app/numbers', theirs);
  await theirs.getByRole('row', { name: new RegExp(main.replace('+', '\\+')) }).waitFor();
  expect(
    await theirs
      .locator('main')
      .getByRole('link', { name: /carrier-of/ })
      .count(),
  ).toBe(0);
  for (const path of ['/app/trunks', '/app/trunks/new', trunkPage()])
    expect((await theirs.goto(`${t.baseUrl}${path}`))?.status(), path).toBe(404);
});

test('no page has an error in its console', () => {
  const errors = owner.log.filter((line) => line.startsWith('error') && !/status of 4\d\d/.test(line));
  expect(errors).toEqual([]);
});
