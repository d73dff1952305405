/** Calls, recordings, audio assets and reports in the dashboard. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SdkSite, type SdkAgent } from '@clarion/testkit/agents/sdk-page';
import { TestBrowser } from '@clarion/testkit/agents/browser';
import { TestStack } from '@clarion/testkit/stack/stack';
import { axeViolations } from '@clarion/testkit/agents/axe';
import { converse } from '@clarion/testkit/agents/conversation';
import { customersOf } from '@clarion/testkit/peers/customers';
import { createOwner, settled, signIn } from '@clarion/testkit/stack/dashboard';
import { isOf, openCallCentre } from '@clarion/testkit/stack/call-centre';
import type { CallDetail } from '@clarion/protocol/call';
import type { CallReport } from '@clarion/protocol/v1/report/reports';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

const CUSTOMER_HZ = 440;
const AGENT_HZ = 1000;
const TALK_MS = 2_500;
const SHOWN_WITHIN_MS = 15_000;
const root = resolve(import.meta.dirname, '../../..');
const home = '/app/t/shop';

let t: TestStack;
let browser: TestBrowser;
let site: SdkSite;
let page: Page;
let recorded: CallDetail;

beforeAll(async () => {
  browser = await TestBrowser.launch({ microphoneHz: AGENT_HZ });
  t = await TestStack.share();
  site = await SdkSite.open(t.baseUrl, (agentRef) => t.token(agentRef));
  const shop = await openCallCentre(t);
  await t.v1.ok('PUT', '/v1/recording-policy', { enabled: true });
  const ada: SdkAgent = await site.agent(browser, 'ada', { device: 'laptop' });
  await ada.setAvailability('AVAILABLE');
  const { callId, call } = await converse(customersOf(t, 'SIP'), ada, shop.main, {
    customerHz: CUSTOMER_HZ,
    agentHz: AGENT_HZ,
  });
  await ada.browserPage.page.waitForTimeout(TALK_MS); // time to record
  await call.hangUp();
  await t.webhooks.waitFor(isOf(callId, 'recording.completed'), 20_000);
  recorded = await t.v1.ok<CallDetail>('GET', `/v1/calls/${callId}`);
  const owner = await createOwner(t);
  ({ page } = await browser.open(t.baseUrl));
  page.setDefaultTimeout(SHOWN_WITHIN_MS);
  await signIn(page, t.baseUrl, owner);
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await t?.stop();
});

async function open(path: string): Promise<void> {
  await page.goto(`${t.baseUrl}${path}`);
  await settled(page);
}

test('a recorded call can be found by its number with the keyboard, read, played and downloaded', async () => {
  const address = recorded.call.customer.address ?? '';
  await open(`${home}/calls`);
  await page.getByLabel('Search by customer number').focus();
  await page.keyboard.type('+4400000');
  await page.getByText('No calls match these filters').waitFor();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(address);
  const row = page.getByRole('table', { name: 'Calls' }).getByRole('link', { name: address });
  await row.waitFor();
  expect(new URL(page.url()).searchParams.get('customer')).toBe(address);
  await page.reload();
  await row.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname === `${home}/calls/${recorded.call.callId}`);

  const story = page.locator('main ol').filter({ hasText: 'Waiting in Sales' });
  for (const moment of [
    'Ringing ada',
    'ada and the customer are connected',
    'Recording started',
    'Call ended',
  ])
    await story.getByText(moment).waitFor();
  const sound = page.getByRole('table', { name: 'Call quality by side' });
  await sound.getByText('Good').first().waitFor();

  const player = page.getByLabel(`Recording of call ${recorded.call.callId}`).first();
  await player.getByRole('button', { name: 'Play', disabled: false }).focus();
  await page.keyboard.press('Enter');
  const heard = () => page.locator('audio').evaluate((audio: HTMLAudioElement) => audio.currentTime);
  await expect.poll(heard, { timeout: SHOWN_WITHIN_MS }).toBeGreaterThan(0.5);
  const lanes = await player
    .locator('svg path')
    .evaluateAll((paths) => paths.map((path) => path.getAttribute('d') ?? '').filter((d) => d.length > 1000));
  expect(new Set(lanes).size).toBeGreaterThanOrEqual(2);

  const downloading = page.waitForEvent('download');
  await player.getByRole('link', { name: 'Download' }).click();
  const file = await downloading;
  expect(file.suggestedFilename()).toBe(`call-${recorded.call.callId}.ogg`);
  expect(
    readFileSync(await file.path())
      .subarray(0, 4)
      .toString(),
  ).toBe('OggS');
});

test('the SIP ladder of a call is read with the keyboard and downloaded as text and as a packet capture', async () => {
  const { callId } = recorded.call;
  await open(`${home}/calls/${callId}`);
  await page.getByRole('button', { name: 'Show the SIP ladder' }).press('Enter');
  const ladder = page.getByRole('list', { name: 'Messages, oldest first' });
  await ladder.getByRole('button', { name: /127\.0\.0\.1 to Service: INVITE sip:/ }).focus();
  await page.keyboard.press('Enter');
  await ladder
    .getByText(/Call-ID: /)
    .first()
    .waitFor();
  for (const [format, start] of [
    ['Text', `SIP ladder of call ${callId}`],
    ['PCAP', '\u00a1\u00b2\u00c3\u00d4'],
  ] as const) {
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: `Download as ${format}` }).click();
    const file = await downloading;
    expect(readFileSync(await file.path(), 'latin1').startsWith(start)).toBe(true);
  }
});

test('the filtered list can be exported to a file in which no cell is a formula', async () => {
  await t.v1.ok('PATCH', `/v1/calls/${recorded.call.callId}`, { external_ref: '=1+1' });
  await open(`${home}/calls?direction=INBOUND`);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const text = readFileSync(await (await downloading).path(), 'utf8');
  expect(text).toContain('Call,Started (UTC),Direction');
  expect(text.split('\r\n')[1]).toMatch(new RegExp(`^${recorded.call.callId},.*,'=1\\+1$`));
});

test('an audio asset can be uploaded or recorded in the page, and not deleted while a queue uses it', async () => {
  await open(`${home}/audio`);
  await page.getByRole('button', { name: 'Upload' }).first().focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.locator('input[type=file]').setInputFiles(join(root, 'packages/testkit/assets/greeting.wav'));
  await dialog.getByLabel('Name').fill('Greeting');
  await dialog.getByRole('button', { name: 'Upload' }).click();
  const list = page.getByRole('table', { name: 'Audio files' });
  await list.getByText('Greeting').waitFor();

  await page.getByRole('button', { name: 'Record', exact: true }).click();
  await dialog.getByRole('button', { name: 'Start recording' }).click();
  const timer = dialog.getByRole('timer');
  await expect.poll(() => timer.textContent(), { timeout: SHOWN_WITHIN_MS }).toBe('0:02');
  await dialog.getByRole('button', { name: 'Stop' }).first().click();
  await dialog.getByRole('button', { name: 'Play selection' }).waitFor();
  await dialog.getByLabel('Name').fill('Spoken');
  await dialog.getByRole('button', { name: 'Save audio' }).click();
  await list.getByText('Spoken').waitFor();

  const at = '/v1/tenants/shop';
  const { audioAssets } = await t.v1.ok<{
    audioAssets: { id: number; name: string; durationSeconds: number }[];
  }>('GET', `${at}/audio-assets`);
  const spoken = audioAssets.find(({ name }) => name === 'Spoken');
  expect(spoken?.durationSeconds).toBeGreaterThan(1);
  expect(spoken?.durationSeconds).toBeLessThan(5);
  await t.v1.ok('PUT', `${at}/queues/sales`, {
    name: 'Sales',
    members: [{ agent_ref: 'ada' }],
    hold_audio_asset_id: spoken?.id,
  });
  await open(`${home}/audio?sound=${spoken?.id}`);
  await page.getByText('This audio is in use').waitFor();
  expect(await page.getByRole('button', { name: 'Delete audio' }).isDisabled()).toBe(true);
});

test('the report shows the figures of the API', async () => {
  await open(`${home}/reports`);
  const { totals } = await t.v1.ok<CallReport>('GET', '/v1/tenants/shop/reports/calls');
  expect(totals).toMatchObject({ total: 1, answered: 1 });
  const figure = (term: string) =>
    page
      .getByRole('button', { name: `About ${term}` })
      .first()
      .locator('xpath=ancestor::div[2]')
      .textContent();
  await page.getByText('100% of all calls').waitFor();
  expect(await figure('Calls')).toContain(`${totals.inbound} inbound, ${totals.outbound} outbound`);
  expect(await figure('Calls')).toMatch(new RegExp(`^Calls${totals.total}`));
  expect(await figure('Answered')).toMatch(new RegExp(`^Answered${totals.answered}`));
  expect(await figure('Service level')).toContain(
    totals.serviceLevel === null ? '–' : `${Math.round(totals.serviceLevel * 100)}%`,
  );
  await page.getByRole('tab', { name: 'Agents' }).click();
  const agents = page.getByRole('table', { name: 'Agents in this period' });
  await agents.getByRole('row', { name: /ada/ }).waitFor();
  await agents.getByRole('button', { name: 'Answered' }).click();
  expect(new URL(page.url()).searchParams.get('sort')).toBe('answered');
});

/** pages.e2e.test.ts checks the initial state of the pages. */
test('the pages of a recording and of reports have no serious accessibility violations', async () => {
  const { callId } = recorded.call;
  for (const path of [`/calls/${callId}`, '/reports?report=agents']) {
    await open(`${home}${path}`);
    expect(await axeViolations(page), path).toEqual([]);
  }
});
