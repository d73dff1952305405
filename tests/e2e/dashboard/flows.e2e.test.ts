/**
 * The flow builder: a flow is drawn on the canvas with the mouse or the keyboard, validated while typing, simulated, saved, and called
 * from the page through the demo carrier. Concurrent and unsaved changes are not lost.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestBrowser, type BrowserPage } from '@clarion/testkit/agents/browser';
import { TestStack } from '@clarion/testkit/stack/stack';
import { V1Client } from '@clarion/testkit/stack/v1-client';
import { axeViolations } from '@clarion/testkit/agents/axe';
import { createOwner, signIn } from '@clarion/testkit/stack/dashboard';
import { uploadTone } from '@clarion/testkit/recordings/upload-tone';
import type { CallDetail, CallView } from '@clarion/protocol/call';
import type { IvrFlowResource } from '@clarion/protocol/v1/tenant/ivr-flows';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FlowCanvas } from './flows/flow-canvas.ts';

const WELCOME_HZ = 700;
const MORE_HZ = 1150;
const SHOWN_WITHIN_MS = 15_000;
const HEARD_WITHIN_MS = 15_000;
const flows = '/app/t/demo/flows';
const WELCOME = '/v1/tenants/demo/ivr-flows/welcome';

let t: TestStack;
let browser: TestBrowser;
let owner: BrowserPage;
let page: Page;
let canvas: FlowCanvas;
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
  canvas = new FlowCanvas(page);
  page.setDefaultTimeout(SHOWN_WITHIN_MS);
  await page.setViewportSize({ width: 1440, height: 900 });
  await signIn(page, t.baseUrl, await createOwner(t, 'demo'));
});
afterAll(async () => {
  await browser?.close();
  await t?.stop();
});

test('an owner draws a menu, sees errors while typing, and saves it', async () => {
  await page.goto(`${t.baseUrl}${flows}`);
  await canvas
    .button('Blank flow')
    .or(canvas.button(/^Blank flow/))
    .click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Welcome');
  await canvas.button('Design flow').click();
  await page.getByText('Draft', { exact: true }).waitFor();
  expect(await page.locator('[data-wrong]').count()).toBe(0);
  await canvas.select('start');
  await canvas.fromPalette('Menu').click();
  await canvas.step('menu').getByText('Audio is required').waitFor();
  await canvas.choose('Audio', `${WELCOME_HZ} Hz`);
  await canvas.step('menu').getByText('Audio is required').waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: 'Name' }).fill('Main menu');

  const time = page.getByRole('textbox', { name: 'Key timeout' });
  await time.fill('99');
  await canvas.step('menu').getByText('must be at most 60').waitFor();
  await time.fill('5');
  await canvas.step('menu').getByText('must be at most 60').waitFor({ state: 'detached' });

  await canvas.fromPalette('Transfer').click();
  await canvas.choose('Queue', 'Sales');
  await canvas.select('menu');
  await canvas.fromPalette('Play').click();
  await canvas.choose('Audio', `${MORE_HZ} Hz`);
  await canvas.button('Tidy up').click();
  await canvas.drawEdge(['play', 'next'], 'menu');
  await canvas.hasEdges(4);
  await canvas.save();
  const { ivrFlow } = await v1.ok<{ ivrFlow: { structure: { edges: unknown[] } } }>('GET', WELCOME);
  expect(ivrFlow.structure.edges).toMatchObject([
    { source: 'start', target: 'menu' },
    { source: 'menu', target: 'transfer', sourceHandle: '1' },
    { source: 'menu', target: 'play', sourceHandle: '2' },
    { source: 'play', target: 'menu' },
  ]);
});

test('every change can be undone and redone', async () => {
  await canvas.select('play');
  await page.keyboard.press('Delete');
  await canvas.step('play').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+z');
  await canvas.step('play').waitFor();
  await canvas.hasEdges(4);
  await canvas.button('Redo').click();
  await canvas.step('play').waitFor({ state: 'detached' });
  await canvas.button('Undo').click();
  await canvas.step('play').waitFor();
});

test('the layout is the same after a reload', async () => {
  const before = await canvas.picture();
  await page.reload();
  await canvas.step('menu').waitFor();
  expect(await canvas.picture()).toEqual(before);
});

test('a simulated caller follows the same path as in the engine, and the canvas shows it', async () => {
  await canvas.button('Simulate').first().click();
  await page.getByRole('switch', { name: 'Play audio' }).click();
  await canvas.button('Start').click();
  await page.getByText(`Playing “${WELCOME_HZ} Hz”`).waitFor();
  await canvas.button('Key 2').click();
  await canvas.button('Skip audio').click();
  await canvas.button('Key 1').click();
  const log = page.getByRole('list', { name: 'Simulation log' });
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

test('the flow can be called from its page: its audio is heard, and pressed keys are in the call’s history', async () => {
  await canvas.button('Test call').first().click();
  const signedIn = () => t.db.agentConnection.count();
  // Opening the panel must not connect an agent, because a customer's call could then ring here.
  await canvas.button('Call +442071838750').waitFor();
  expect(await signedIn()).toBe(0);
  await canvas.button('Call +442071838750').click();
  await owner.hearsTone(WELCOME_HZ, { withinMs: HEARD_WITHIN_MS });
  const keys = page.getByRole('group', { name: 'Keypad' }).getByRole('button');
  // The same keys as the simulated caller's: the engine records them at the same nodes and transfers to the same queue.
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
  await page.getByRole('region', { name: 'Test call' }).getByRole('button', { name: 'Hang up' }).click();
  await canvas.button('Call +442071838750').waitFor();
  await expect.poll(signedIn, { timeout: SHOWN_WITHIN_MS }).toBe(0);
  const panel = await page.getByRole('button', { name: 'Call +442071838750' }).boundingBox();
  expect((panel?.x ?? 0) + (panel?.width ?? 0)).toBeLessThanOrEqual(1440);
});

/** The IVR sessions of the newest inbound call. */
async function ivrOfNewest(): Promise<CallDetail['ivrSessions']> {
  const { calls } = await v1.ok<{ calls: CallView[] }>(
    'GET',
    '/v1/tenants/demo/calls?direction=INBOUND&limit=1',
  );
  const [call] = calls;
  return call ? (await v1.ok<CallDetail>('GET', `/v1/calls/${call.callId}`)).ivrSessions : [];
}

test('a flow can be created, moved, connected, undone and saved with the keyboard alone', async () => {
  await page.goto(`${t.baseUrl}${flows}/closed?template=blank&name=Closed&line=ada&when=ALWAYS`);
  await canvas.step('start').waitFor();
  await canvas.tabTo(/^Start$/);
  await page.keyboard.press('Enter');
  await canvas.tabTo(/^Hang up/, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await canvas.step('hangup').waitFor();
  await canvas.hasEdges(1);

  await canvas.tabTo(/^Hang up$/);
  const [before] = (await canvas.picture()).filter((line) => line.startsWith('hangup'));
  await page.keyboard.press('ArrowDown');
  await expect.poll(async () => (await canvas.picture()).includes(before ?? '')).toBe(false);
  await page.keyboard.press('Delete');
  await canvas.step('hangup').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+z');
  await canvas.step('hangup').waitFor();
  await page.keyboard.press('Control+s');
  await canvas.isSaved();
});

test('with the mouse, steps can be placed, connected, removed together and restored', async () => {
  await page.goto(`${t.baseUrl}${flows}/mouse?template=blank&name=Mouse&line=ada&when=ALL_AGENTS_BUSY`);
  await canvas.step('start').waitFor();
  const pane = page.locator('.react-flow__pane');
  const drop = { x: 520, y: 200 };
  await canvas.fromPalette('Hang up').dragTo(pane, { targetPosition: drop });
  await canvas.hasSteps('start', 'hangup');
  const [frame, box] = [await pane.boundingBox(), await canvas.step('hangup').boundingBox()];
  const [x, y] = [(frame?.x ?? 0) + drop.x, (frame?.y ?? 0) + drop.y];
  expect(x - (box?.x ?? 0)).toBeGreaterThan(0);
  expect((box?.x ?? 0) + (box?.width ?? 0) - x).toBeGreaterThan(0);
  expect(Math.abs(y - (box?.y ?? 0))).toBeLessThan(box?.height ?? 0);
  await canvas.drag(canvas.exitOf('start', 'next'), canvas.entryOf('hangup'));
  await canvas.hasEdges(1);
  await canvas.fromPalette('Menu').dragTo(pane, { targetPosition: { x: drop.x, y: drop.y + 200 } });
  await canvas.hasSteps('start', 'hangup', 'menu');
  await canvas.drag(page.locator('.react-flow__edgeupdater-target'), canvas.entryOf('menu'));
  await page.getByRole('group', { name: 'Then, Start, to Menu' }).waitFor();

  for (const steps of [['start', 'hangup', 'menu'], ['start', 'hangup'], ['start', 'hangup'], ['start']]) {
    await page.keyboard.press('Control+z');
    await canvas.hasSteps(...steps);
  }
  await canvas.hasEdges(0);
  for (let step = 0; step < 4; step += 1) await page.keyboard.press('Control+y');
  await canvas.hasSteps('start', 'hangup', 'menu');
  await page.getByRole('group', { name: 'Then, Start, to Menu' }).waitFor();

  await canvas.selectAllWithin();
  await page.keyboard.press('Delete');
  await canvas.hasSteps('start');
  await canvas.hasEdges(0);
  await page.keyboard.press('Control+z');
  await canvas.hasSteps('start', 'hangup', 'menu');
  await canvas.hasEdges(1);
});

test('an unsaved new flow is in the list, where it can be continued or discarded', async () => {
  await page.goto(`${t.baseUrl}${flows}`);
  await page.getByRole('link', { name: 'Continue editing Mouse' }).click();
  await canvas.hasSteps('start', 'hangup', 'menu');
  await canvas.hasEdges(1);
  await page.goBack();
  await canvas.button('Discard changes to Mouse').click();
  await page.getByText('The new flow Mouse is not saved').waitFor({ state: 'detached' });
});

test('steps can be copied or cut and pasted repeatedly, even into another flow', async () => {
  await page.goto(`${t.baseUrl}${flows}/welcome`);
  await canvas.step('menu').waitFor();
  await canvas.select('menu');
  await canvas.select('transfer', 'too');
  await page.keyboard.press('Control+c');
  await page.keyboard.press('Control+v');
  await page.keyboard.press('Control+v');
  await canvas.hasSteps('start', 'menu', 'play', 'transfer', 'menu-2', 'transfer-2', 'menu-3', 'transfer-3');
  await canvas.hasEdges(6);
  const places = (await canvas.picture()).map((line) => line.split(' ').slice(1).join(' '));
  expect(new Set(places).size).toBe(places.length);
  await page.keyboard.press('Control+x');
  await canvas.hasSteps('start', 'menu', 'play', 'transfer', 'menu-2', 'transfer-2');
  await page.keyboard.press('Control+z');
  await canvas.hasSteps('start', 'menu', 'play', 'transfer', 'menu-2', 'transfer-2', 'menu-3', 'transfer-3');
  for (let step = 0; step < 2; step += 1) await page.keyboard.press('Control+z');
  await canvas.hasSteps('start', 'menu', 'play', 'transfer');
  await page
    .getByText(/^Saved/)
    .first()
    .waitFor();

  await page.goto(`${t.baseUrl}${flows}/pasted?template=blank&name=Pasted&line=ada&when=ALL_AGENTS_BUSY`);
  await canvas.step('start').waitFor();
  await page.keyboard.press('Control+v');
  await canvas.hasSteps('start', 'menu', 'transfer');
  await canvas.step('transfer').getByText('Sales').waitFor();
  await canvas.drawEdge(['start', 'next'], 'menu');
  await canvas.save();
});

test('turning a flow off and on from the list keeps changes that were made since the list was loaded', async () => {
  await page.goto(`${t.baseUrl}${flows}`);
  const row = page.getByRole('row', { name: /Pasted/ });
  await row.getByText('Active').waitFor();
  const path = '/v1/tenants/demo/ivr-flows/pasted';
  const { ivrFlow } = await v1.ok<{ ivrFlow: IvrFlowResource }>('GET', path);
  const { name, channelRef: channel_ref, triggerCondition: trigger_condition, structure } = ivrFlow;
  await v1.ok('PUT', path, {
    name,
    channel_ref,
    trigger_condition,
    structure: { ...structure, note: 'ours' },
  });
  const isStored = () => v1.ok<{ ivrFlow: IvrFlowResource }>('GET', path);
  await canvas.button('Actions for Pasted').click();
  await page.getByRole('menuitem', { name: 'Turn off' }).click();
  await row.getByText('Off').waitFor();
  expect(await isStored()).toMatchObject({ ivrFlow: { status: 'DISABLED', structure: { note: 'ours' } } });
  await canvas.button('Undo').click();
  await row.getByText('Active').waitFor();
  expect(await isStored()).toMatchObject({ ivrFlow: { status: 'ACTIVE', structure: { note: 'ours' } } });
});

/** Another person's change to the flow that is open. */
const rename = async (name: string) => {
  const { ivrFlow } = await v1.ok<{ ivrFlow: IvrFlowResource }>('GET', WELCOME);
  await v1.ok('PUT', WELCOME, { name, channel_ref: ivrFlow.channelRef, structure: ivrFlow.structure });
};
const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const nameIt = (name: string) => page.getByRole('textbox', { name: 'Name' }).fill(name);

test('saving asks before it overwrites another person’s version, and one’s own changes are not lost', async () => {
  await page.goto(`${t.baseUrl}${flows}/welcome`);
  await canvas.button('Flow settings').click();
  await page.getByRole('switch', { name: 'Active' }).click();
  await nameIt('Mine');
  await rename('Theirs');
  await canvas.button('Save').click();
  const dialog = page.getByRole('dialog', { name: 'Someone else saved this flow' });
  await dialog.getByRole('button', { name: 'Use their version' }).click();
  await heading('Theirs').waitFor();
  await canvas.isSaved();
  await canvas.button('Undo').click();
  await heading('Mine').waitFor();
  await canvas.save();
  const { ivrFlow } = await v1.ok<{ ivrFlow: IvrFlowResource }>('GET', WELCOME);
  expect(ivrFlow).toMatchObject({ name: 'Mine', status: 'DISABLED' });

  await nameIt('Welcome');
  await page.getByRole('switch', { name: 'Active' }).click();
  await rename('Theirs again');
  await canvas.button('Save').click();
  await dialog.getByRole('button', { name: 'Overwrite with mine' }).click();
  await canvas.isSaved();
  await v1.ok('DELETE', WELCOME);
  await nameIt('Welcome!');
  await canvas.button('Save').click();
  await canvas.button('Save again').click();
  await canvas.isSaved();
  await nameIt('Welcome');
  await canvas.save();
});

test('leaving by a link asks before changes are lost, and Back and a reload keep them', async () => {
  await nameIt('Dropped');
  const lines = page.getByRole('link', { name: 'Lines' }).first();
  await lines.click();
  await canvas.button('Keep editing').click();
  await lines.click();
  await canvas.button('Leave').click();
  await page.waitForURL('**/lines');
  await page.goBack();
  await heading('Welcome').waitFor();
  expect(await page.getByText('You have unsaved changes').count()).toBe(0);

  await page.goto(`${t.baseUrl}${flows}`);
  await page
    .getByRole('link', { name: /Welcome/ })
    .first()
    .click();
  await canvas.button('Flow settings').click();
  await nameIt('Kept');
  await page.goBack();
  await page.getByText('Kept has unsaved changes').waitFor();
  await page.getByRole('link', { name: 'Continue editing Kept' }).click();
  await heading('Kept').waitFor();
  await page.reload();
  await heading('Kept').waitFor();
  await canvas.button('Undo').click();
  await heading('Welcome').waitFor();
  await canvas.isSaved();
});

test.each([1440, 390])('axe finds no serious violations, light and dark, %i wide', async (width) => {
  await page.setViewportSize({ width, height: 900 });
  await page.goto(`${t.baseUrl}${flows}`);
  await page.getByText('Welcome').first().waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.goto(`${t.baseUrl}${flows}/welcome`);
  await page.getByText('Main menu').first().waitFor();
  expect(await axeViolations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
});

test('no page has an error in its console', () => {
  const errors = owner.log.filter((line) => line.startsWith('error') && !/status of (400|404)/.test(line));
  expect(errors).toEqual([]);
});
