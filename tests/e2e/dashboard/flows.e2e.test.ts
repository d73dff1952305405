/**
 * A flow from nothing to a call: drawn on the canvas, judged while it is typed, tried in the page, saved, and called from the page
 * through the demo carrier, with keys. And all of the drawing with the keyboard alone.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestBrowser, TestStack, V1Client, type BrowserPage } from '@clarion/testkit';
import { axeFaults } from '@clarion/testkit/axe';
import { createOwner, signIn } from '@clarion/testkit/dashboard';
import { uploadTone } from '@clarion/testkit/sound';
import type { CallDetail, CallView } from '@clarion/protocol/call';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

const WELCOME_HZ = 700;
const MORE_HZ = 1150;
const SHOWN_WITHIN_MS = 15_000;
const HEARD_WITHIN_MS = 15_000;
const MOST_TABS = 80;
const flows = '/app/t/demo/flows';

let t: TestStack;
let browser: TestBrowser;
let owner: BrowserPage;
let page: Page;
let v1: V1Client;

beforeAll(async () => {
  browser = await TestBrowser.launch();
  t = await TestStack.boot({ seed: true });
  const { apiKey }: { apiKey: string } = JSON.parse(readFileSync(join(t.stack.dataDir, 'demo.json'), 'utf8'));
  v1 = new V1Client(t.baseUrl, apiKey);
  await uploadTone(v1, { tenant: 'demo', hz: WELCOME_HZ, seconds: 2 });
  await uploadTone(v1, { tenant: 'demo', hz: MORE_HZ, seconds: 1 });
  await v1.ok('PUT', '/v1/tenants/demo/queues/sales', { name: 'Sales', members: [{ agent_ref: 'ada' }] });
  owner = await browser.open(t.baseUrl);
  ({ page } = owner);
  page.setDefaultTimeout(SHOWN_WITHIN_MS);
  await page.setViewportSize({ width: 1440, height: 900 });
  await signIn(page, t.baseUrl, await createOwner(t, 'demo'));
});
afterAll(async () => {
  await browser?.close();
  await t?.stop();
});

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const step = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
const exitOf = (id: string, exit: string) => step(id).locator(`.source[data-handleid="${exit}"]`);
const entryOf = (id: string) => step(id).locator('.target');
const fitView = () => button('Fit View').click();
/** Wherever the view was left. */
async function select(id: string): Promise<void> {
  await fitView();
  await step(id).click({ position: { x: 30, y: 10 } });
}
const add = (title: string) =>
  page
    .getByRole('navigation', { name: 'Steps to add' })
    .getByRole('button', { name: new RegExp(`^${title}`) })
    .click();

async function choose(label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('option', { name: option }).first().click();
}

/** With the whole flow in sight. */
async function drawWay(from: [id: string, exit: string], to: string): Promise<void> {
  await button('Tidy up').click();
  await fitView();
  await exitOf(...from).hover();
  await page.mouse.down();
  await entryOf(to).hover({ force: true });
  await page.mouse.up();
}

/** Where every step stands, as it is drawn. */
const picture = () =>
  page
    .locator('.react-flow__node')
    .evaluateAll((nodes) =>
      nodes
        .map((node) => `${node.getAttribute('data-id')} ${(node as HTMLElement).style.transform}`)
        .toSorted(),
    );

const saved = async () => {
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.getByText(/Saved just now|Saved \d/).waitFor();
};

test('an owner draws a menu, sees what is wrong while typing, and saves it', async () => {
  await page.goto(`${t.baseUrl}${flows}`);
  await button('Start from nothing')
    .or(button(/^Start from nothing/))
    .click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Welcome');
  await button('Draw the flow').click();
  await select('start');
  await add('Menu');
  await step('menu').getByText('Sound is required').waitFor();
  await choose('Sound', `${WELCOME_HZ} Hz`);
  await step('menu').getByText('Sound is required').waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: 'Name' }).fill('Main menu');

  const time = page.getByRole('textbox', { name: 'Time for a key' });
  await time.fill('99');
  await step('menu').getByText('must be at most 60').waitFor();
  await time.fill('5');
  await step('menu').getByText('must be at most 60').waitFor({ state: 'detached' });

  await add('Transfer');
  await choose('Queue', 'Sales');
  await select('menu');
  await add('Play');
  await choose('Sound', `${MORE_HZ} Hz`);
  await drawWay(['play', 'next'], 'menu');
  await expect.poll(() => page.locator('.react-flow__edge').count()).toBe(4);
  await button('Save').click();
  await saved();
  const { ivrFlow } = await v1.ok<{ ivrFlow: { structure: { edges: unknown[] } } }>(
    'GET',
    '/v1/tenants/demo/ivr-flows/welcome',
  );
  expect(ivrFlow.structure.edges).toMatchObject([
    { source: 'start', target: 'menu' },
    { source: 'menu', target: 'transfer', sourceHandle: '1' },
    { source: 'menu', target: 'play', sourceHandle: '2' },
    { source: 'play', target: 'menu' },
  ]);
});

test('every change can be taken back, and comes again', async () => {
  await select('play');
  await page.keyboard.press('Delete');
  await step('play').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+z');
  await step('play').waitFor();
  await expect.poll(() => page.locator('.react-flow__edge').count()).toBe(4);
  await button('Redo').click();
  await step('play').waitFor({ state: 'detached' });
  await button('Undo').click();
  await step('play').waitFor();
});

test('after a reload the picture is the same', async () => {
  const before = await picture();
  await page.reload();
  await step('menu').waitFor();
  expect(await picture()).toEqual(before);
});

test('a simulated caller goes the way that the engine would take, and it is seen on the canvas', async () => {
  await button('Try it').first().click();
  await page.getByRole('switch', { name: 'Play the sounds' }).click();
  await button('Start').click();
  await page.getByText(`Hears “${WELCOME_HZ} Hz”`).waitFor();
  await button('Key 2').click();
  await button('Skip the sound').click();
  await button('Key 1').click();
  const log = page.getByRole('list', { name: 'What happened' });
  await log.getByText('To queue Sales').waitFor();
  expect(
    (await log.getByRole('listitem').allTextContents()).map((text) => text.replace(/^[\d:\s]+([AP]M)?/, '')),
  ).toEqual([
    'Start',
    'Main menu',
    'Pressed 2',
    'Play',
    'Main menu',
    'Pressed 1',
    'Transfer',
    'To queue Sales',
  ]);
  expect(await page.locator('.react-flow__edge.walked').count()).toBe(4);
});

test('the flow is called from its page: its sound is heard, and a key is in the call’s history', async () => {
  await button('Call it').first().click();
  const call = button('Call +442071838750');
  await call.waitFor();
  await expect.poll(() => call.isEnabled(), { timeout: SHOWN_WITHIN_MS }).toBe(true);
  await call.click();
  await owner.hearsTone(WELCOME_HZ, { withinMs: HEARD_WITHIN_MS });
  await button(/Keypad/).click();
  const keys = page.getByRole('group', { name: 'Keys sent to the customer' }).getByRole('button');
  // The same keys as the simulated caller's: the engine notes them at the same steps, and hands over alike.
  await owner.forget();
  await keys.nth(1).click();
  await owner.hearsTone(MORE_HZ, { withinMs: HEARD_WITHIN_MS });
  await owner.forget();
  await owner.hearsTone(WELCOME_HZ, { withinMs: HEARD_WITHIN_MS });
  await keys.nth(0).click();
  await expect.poll(ivrOfNewest, { timeout: SHOWN_WITHIN_MS }).toMatchObject([
    {
      outcome: 'QUEUE',
      inputs: [
        { nodeName: 'Main menu', input: '2' },
        { nodeName: 'Main menu', input: '1' },
      ],
    },
  ]);
  await button(/^hang up$/i)
    .last()
    .click();
});

/** The walks of the newest call that came in. */
async function ivrOfNewest(): Promise<CallDetail['ivrSessions']> {
  const { calls } = await v1.ok<{ calls: CallView[] }>(
    'GET',
    '/v1/tenants/demo/calls?direction=INBOUND&limit=1',
  );
  const [call] = calls;
  return call ? (await v1.ok<CallDetail>('GET', `/v1/calls/${call.callId}`)).ivrSessions : [];
}

/** Tab until what has the focus is called so. */
async function tabTo(name: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let tab = 0; tab < MOST_TABS; tab += 1) {
    await page.keyboard.press(key);
    const focused = await page.evaluate(() => {
      const { activeElement } = document;
      return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? '';
    });
    if (name.test(focused)) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}

test('with the keyboard alone a flow is begun, drawn, moved, joined, taken back and saved', async () => {
  await page.goto(`${t.baseUrl}${flows}/closed?template=blank&name=Closed&line=ada&when=ALWAYS`);
  await step('start').waitFor();
  await tabTo(/^Start$/);
  await page.keyboard.press('Enter');
  await tabTo(/^Hang up/, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await step('hangup').waitFor();
  await expect.poll(() => page.locator('.react-flow__edge').count()).toBe(1);

  await tabTo(/^Hang up$/);
  const [before] = (await picture()).filter((line) => line.startsWith('hangup'));
  await page.keyboard.press('ArrowDown');
  await expect.poll(async () => (await picture()).includes(before ?? '')).toBe(false);
  await page.keyboard.press('Delete');
  await step('hangup').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+z');
  await step('hangup').waitFor();
  await page.keyboard.press('Control+s');
  await saved();
});

test.each([
  ['light', 1440],
  ['dark', 1440],
  ['light', 390],
] as const)('axe finds nothing serious, %s and %i wide', async (theme, width) => {
  await page.setViewportSize({ width, height: 900 });
  await page.goto(`${t.baseUrl}${flows}`);
  await page.getByText('Welcome').first().waitFor();
  expect(await axeFaults(page, { themes: [theme] })).toEqual([]);
  await page.goto(`${t.baseUrl}${flows}/welcome`);
  await page.getByText('Main menu').first().waitFor();
  expect(await axeFaults(page, { themes: [theme] })).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
});

test('no page has an error in its console', () => {
  const errors = owner.log.filter((line) => line.startsWith('error') && !/status of (400|404)/.test(line));
  expect(errors).toEqual([]);
});
