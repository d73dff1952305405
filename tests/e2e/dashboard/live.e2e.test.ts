/** The live board with real calls: what it shows, and monitoring calls from the browser. */
import { performance } from 'node:perf_hooks';
import type { CallDetail } from '@clarion/protocol/call';
import type { LiveQueue } from '@clarion/protocol/v1/report/reports';
import { SdkSite } from '@clarion/testkit/agents/sdk-page';
import { TestBrowser } from '@clarion/testkit/agents/browser';
import { TestStack } from '@clarion/testkit/stack/stack';
import { tonePower } from '@clarion/test-phone/audio/goertzel';
import { toSamples } from '@clarion/test-phone/rtp/port';
import type { BrowserPage } from '@clarion/testkit/agents/browser';
import type { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import type { SdkAgent } from '@clarion/testkit/agents/sdk-page';
import { axeViolations } from '@clarion/testkit/agents/axe';
import { boardDifferences } from '@clarion/testkit/load/board-numbers';
import { BoardStorm } from '@clarion/testkit/load/board-storm';
import { converse } from '@clarion/testkit/agents/conversation';
import { customersOf } from '@clarion/testkit/peers/customers';
import type { FarCall } from '@clarion/testkit/peers/far-call';
import { createStaff, signIn } from '@clarion/testkit/stack/dashboard';
import { hearsTone } from '@clarion/test-phone/audio/hears-tone';
import { endLiveCalls, line, openCallCentre } from '@clarion/testkit/stack/call-centre';
import { io } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const CUSTOMER_HZ = 600;
const AGENT_HZ = 1000;
const OLIVIA_HZ = 1700;
const RATE = 8000;
const FULL_SCALE = 32_768;
const QUIET_DB = -50;
/** The least level of an audible voice; the tones are sent at −13 dB. */
const HEARD_DB = -30;
/** Generous, because the machine may be busy. */
const SHOWN_WITHIN_MS = 15_000;
const HEARD_WITHIN_MS = 8_000;
const MEASURE_MS = 500;
const BOARD = '/app/t/shop/live';

let t: TestStack;
let browsers: TestBrowser[] = [];
let site: SdkSite;
let ada: SdkAgent;
let ben: ScriptedAgent;
let olivia: BrowserPage;
let main: string;
let second: string;

beforeAll(async () => {
  t = await TestStack.share();
  ({ main } = await openCallCentre(t));
  await t.v1.ok('PUT', '/v1/tenants/shop/agents/ben', { name: 'Ben' });
  await t.v1.ok('PUT', '/v1/tenants/shop/queues/help', { name: 'Help', members: [{ agent_ref: 'ben' }] });
  second = await line(t, 'second', { inbound_queue_ref: 'help', display_name: 'Help line' });
  await allow('listen', 'whisper', 'barge');
  const owner = await createStaff(t, { name: 'Olivia Owner' });
  browsers = await Promise.all(
    [AGENT_HZ, OLIVIA_HZ].map((microphoneHz) => TestBrowser.launch({ microphoneHz })),
  );
  const [first, other] = browsers as [TestBrowser, TestBrowser];
  site = await SdkSite.open(t.baseUrl, (ref) => t.token(ref));
  ada = await site.agent(first, 'ada', { device: 'laptop' });
  await ada.setAvailability('AVAILABLE');
  ben = await t.agent('ben');
  await ben.available();
  olivia = await other.open(`${t.baseUrl}/app/sign-in`);
  await olivia.page.setViewportSize({ width: 1440, height: 900 });
  await signIn(olivia.page, t.baseUrl, owner, { to: BOARD });
  await olivia.page.getByText('Live', { exact: true }).waitFor({ timeout: SHOWN_WITHIN_MS });
});
afterEach(async () => {
  t.release();
  await endLiveCalls(t);
});
afterAll(async () => {
  site?.close();
  for (const browser of browsers) await browser.close();
  await t?.stop();
});

const allow = (...modes: string[]) =>
  t.v1.ok('PUT', '/v1/tenants/shop', { name: 'Shop', settings: { monitoring: { modes } } });
const rowOf = (callId: number) => olivia.page.locator(`[data-call="${callId}"]`);
const agentRow = (name: string) =>
  olivia.page.getByRole('table', { name: 'Agents' }).getByRole('row').filter({ hasText: name });
const shows = (locator: { textContent(): Promise<string | null> }, text: string | RegExp) =>
  expect.poll(() => locator.textContent().catch(() => null), { timeout: SHOWN_WITHIN_MS }).toMatch(text);
const figure = async (label: string) =>
  Number(
    await olivia.page
      .getByText(label, { exact: true })
      .locator('xpath=following-sibling::div[1]')
      .textContent(),
  );
const talking = () =>
  converse(customersOf(t, 'SIP'), ada, main, { customerHz: CUSTOMER_HZ, agentHz: AGENT_HZ });

const decibels = (power: number) => 10 * Math.log10(power / FULL_SCALE ** 2 + 1e-12);

/** The level of Olivia's voice in the last audio that the carrier received, in dB of full scale. */
function oliviaAtCustomer(call: FarCall): number {
  const recent = call.audio.heard.filter(({ at }) => at > performance.now() - MEASURE_MS);
  return decibels(tonePower(toSamples(recent, call.audio.law), RATE, OLIVIA_HZ));
}
/** The level of a voice in the last audio that a page played, in which several people may talk at the same time. */
async function atPage(page: BrowserPage, hz: number): Promise<number> {
  const hearing = await page.hearing();
  if (!hearing) return -Infinity;
  const { samples, sampleRate } = hearing;
  return decibels(tonePower(samples.subarray(-(sampleRate * MEASURE_MS) / 1000), sampleRate, hz));
}
/** Measures from now on, so that audio of an earlier call does not count. */
async function hears(page: BrowserPage, hz: number): Promise<void> {
  await page.forget();
  await expect.poll(() => atPage(page, hz), { timeout: HEARD_WITHIN_MS }).toBeGreaterThan(HEARD_DB);
}
const press = async (name: string | RegExp) => {
  const button = olivia.page.getByRole('button', { name, exact: true });
  await button.focus();
  await olivia.page.keyboard.press('Enter');
};

test('the board shows calls and agents as in the API, and removes ended calls', async () => {
  const { callId, call } = await talking();
  const waiting = await (await t.phone()).call(second, t.sip, { from: '441632960777' });
  const { callId: ringing } = await ben.incoming();
  await shows(rowOf(callId), /Sales.*ada.*Talking/);
  await shows(rowOf(ringing), /441632960777.*Help line.*Help.*Ringing/);
  await shows(agentRow('ada'), /On a call/);
  await shows(agentRow('Ben'), /Ringing/);
  const live = await t.v1.ok<{ liveCalls: number; queues: LiveQueue[] }>(
    'GET',
    '/v1/tenants/shop/reports/live',
  );
  await expect.poll(() => figure('Live calls'), { timeout: SHOWN_WITHIN_MS }).toBe(live.liveCalls);
  await expect.poll(() => figure('Waiting')).toBe(live.queues.reduce((sum, queue) => sum + queue.waiting, 0));
  await shows(olivia.page.getByRole('list', { name: 'Waiting in Help' }), /441632960777/);

  await waiting.hangUp();
  await call.hangUp();
  await expect.poll(() => rowOf(callId).count(), { timeout: SHOWN_WITHIN_MS }).toBe(0);
  await olivia.page.getByText('No live calls').waitFor();
  await shows(agentRow('Ben'), /Available/);
});

test('the owner can listen, whisper and barge in by keyboard, and is heard by exactly the right people', async () => {
  const { callId, call } = await talking();
  await shows(rowOf(callId), /Talking/);
  await press(/^Listen to/);
  await hears(olivia, CUSTOMER_HZ);
  await hears(olivia, AGENT_HZ);
  await olivia.page.getByText('No one can hear you.').waitFor();
  await rowOf(callId).getByRole('img', { name: 'Listening: Olivia Owner' }).waitFor();
  expect(await atPage(ada.browserPage, OLIVIA_HZ)).toBeLessThan(QUIET_DB);

  await press('Whisper');
  await hears(ada.browserPage, OLIVIA_HZ);
  expect(oliviaAtCustomer(call)).toBeLessThan(QUIET_DB);
  await press('Barge in');
  await expect.poll(() => oliviaAtCustomer(call), { timeout: HEARD_WITHIN_MS }).toBeGreaterThan(HEARD_DB);
  await press('Stop');
  await expect.poll(() => oliviaAtCustomer(call), { timeout: HEARD_WITHIN_MS }).toBeLessThan(QUIET_DB);
  await hearsTone(call.audio, AGENT_HZ);

  await ada.hangup(callId);
  await call.ended();
  const { participants } = await t.v1.ok<CallDetail>('GET', `/v1/calls/${callId}`);
  expect(participants.at(-1)).toMatchObject({
    kind: 'DASHBOARD',
    listenerName: 'Olivia Owner',
    agentId: null,
    leaveReason: 'MONITOR_STOPPED',
  });
});

test('a mode that the tenant does not allow has no button, and the socket refuses it', async () => {
  const { callId } = await talking();
  await shows(rowOf(callId), /Talking/);
  await press(/^Listen to/);
  await olivia.page.getByRole('button', { name: 'Barge in' }).waitFor();
  await allow('listen');
  await expect.poll(() => olivia.page.getByRole('button', { name: 'Barge in' }).count()).toBe(0);
  expect(await olivia.page.getByRole('button', { name: 'Whisper' }).count()).toBe(0);
  const ticket = await olivia.page.evaluate(async () => {
    const response = await fetch('/v1/realtime-tickets', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-clarion-dashboard': '1' },
      body: JSON.stringify({ tenant_ref: 'shop' }),
    });
    return ((await response.json()) as { ticket: string }).ticket;
  });
  const socket = io(`${t.baseUrl}/dashboard`, {
    path: '/socket.io',
    addTrailingSlash: false,
    auth: { ticket, deviceId: 'direct' },
    reconnection: false,
    transports: ['websocket'],
  });
  const reply: unknown = await socket
    .timeout(HEARD_WITHIN_MS)
    .emitWithAck('monitor:start', { callId, sdpOffer: 'v=0', mode: 'BARGE' });
  socket.close();
  expect(reply).toMatchObject({ ok: false, error: { code: 'forbidden' } });
  await allow('listen', 'whisper', 'barge');
  await press('Stop');
});

test('the board has no serious accessibility violations, light and dark, wide and narrow', async () => {
  const { callId } = await talking();
  await shows(rowOf(callId), /Talking/);
  const { page } = olivia;
  for (const { theme, width, height } of [
    { theme: 'light', width: 1440, height: 900 },
    { theme: 'dark', width: 390, height: 844 },
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.getByRole('heading', { name: /^Live calls/ }).waitFor();
    expect(await axeViolations(page, { themes: [theme] })).toEqual([]);
    const beyond = () => document.documentElement.scrollWidth - window.innerWidth;
    expect(await page.evaluate(beyond)).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('after many rapid changes every number on the board equals that of the API', async () => {
  const storm = await BoardStorm.create({ db: t.db, tenantRef: 'shop', calls: 40, agents: 20 });
  await storm.run(100, 2_000);
  const wrong = await boardDifferences(t, olivia.page, { tenant: 'shop', withinMs: SHOWN_WITHIN_MS });
  expect(wrong).toEqual([]);
  await storm.clear();
  await expect.poll(() => figure('Live calls'), { timeout: SHOWN_WITHIN_MS }).toBe(0);
});

test('when the session of a listening person is revoked, they hear nothing more and the page says so', async () => {
  const { callId, call } = await talking();
  await shows(rowOf(callId), /Talking/);
  await press(/^Listen to/);
  await hears(olivia, CUSTOMER_HZ);
  await t.db.dashboardSession.updateMany({
    where: { revokedAt: null, consumer: { slug: t.account.slug } },
    data: { revokedAt: new Date() },
  });
  // The board reports the disconnection, unless a refused request leads to the sign-in page before.
  const connection = () =>
    olivia.page.evaluate(() => window.testkitEar.connections.at(-1)?.connectionState ?? 'none');
  await expect.poll(connection, { timeout: HEARD_WITHIN_MS }).toMatch(/closed|none/);
  await olivia.page
    .getByText('The live board was disconnected')
    .or(olivia.page.getByRole('button', { name: 'Sign in', exact: true }))
    .waitFor();
  const participants = async () =>
    (await t.v1.ok<CallDetail>('GET', `/v1/calls/${callId}`)).participants.at(-1);
  await expect.poll(participants).toMatchObject({ kind: 'DASHBOARD', leaveReason: 'MONITOR_STOPPED' });
  await hearsTone(call.audio, AGENT_HZ);
  await call.hangUp();
});
