/**
 * The SDK for React Native and the logic of the example app, in a page whose WebRTC is passed to them and which has nothing else that a
 * phone lacks. The app is closed until a push notification arrives at its simulated provider.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Device } from '@clarion/sdk/react-native';
import { HEARD_WITHIN_MS, hearsTone } from '@clarion/test-phone/audio/hears-tone';
import { TestBrowser, type BrowserPage } from '@clarion/testkit/agents/browser';
import { hearEachOther } from '@clarion/testkit/agents/conversation';
import {
  agentOf,
  endLiveCalls,
  lifeOf,
  openCallCentre,
  type CallCentreFixture,
} from '@clarion/testkit/stack/call-centre';
import type { PushDevice } from '@clarion/testkit/peers/push-devices';
import { TestStack } from '@clarion/testkit/stack/stack';
import type { Calls } from '../../examples/react-native/src/calls.ts';

const CUSTOMER_HZ = 440;
const AGENT_HZ = 1000;
const CONVERSATION_MS = 2000;
const tones = { customerHz: CUSTOMER_HZ, agentHz: AGENT_HZ };
const CUSTOMER = '441632960001';

type AppWindow = typeof window & {
  app: { device: Device; calls: Calls; shown: string[]; touched: string[] };
};

/** What React Native does not have throws when it is used, and is recorded; except what the testkit needs to hear the page. */
const PAGE = (baseUrl: string) => `<!doctype html><meta charset="utf-8"><title>app</title>
<script>
const app = (window.app = { shown: [], touched: [] });
const webrtc = { RTCPeerConnection, MediaStream, mediaDevices: navigator.mediaDevices };
const take = (owner, name) => Object.defineProperty(owner, name, { get() { app.touched.push(name); throw new Error(name + ' does not exist'); } });
for (const name of ['BroadcastChannel', 'localStorage', 'sessionStorage', 'RTCPeerConnection', 'AudioContext', 'TextDecoder', 'crypto']) take(window, name);
for (const name of ['locks', 'mediaDevices', 'permissions']) take(navigator, name);
</script>
<script src="/app.js"></script>
<script>
const items = new Map([['clarion:device', 'phone']]);
const note = (text) => app.shown.push(text);
app.device = new App.Device({
  url: '${baseUrl}',
  getToken: async () => (await fetch('/token')).text(),
  webrtc,
  storage: { getItem: async (key) => items.get(key) ?? null, setItem: async (key, value) => items.set(key, value) },
  onAgent(agent) {
    app.calls.listenTo(agent);
    agent.on('remoteStream', (stream) => Object.assign(new Audio(), { srcObject: stream }).play());
  },
});
app.calls = new App.Calls(app.device, {
  ring: (uuid, { address }) => note('ring ' + address),
  connected: () => note('connected'),
  muted: () => undefined,
  end: (uuid, why) => note('end ' + why),
  missed: () => note('missed'),
});
</script>`;

let t: TestStack;
let browser: TestBrowser;
let site: Server;
let shop: CallCentreFixture;
let phone: BrowserPage;
let provider: PushDevice;

beforeAll(async () => {
  t = await TestStack.share();
  shop = await openCallCentre(t);
  const { outputFiles } = await build({
    stdin: {
      contents: `export { Device } from '@clarion/sdk/react-native'; export { Calls } from './calls.ts';`,
      resolveDir: resolve(import.meta.dirname, '../../examples/react-native/src'),
    },
    ...{ bundle: true, format: 'iife', globalName: 'App', platform: 'browser', write: false },
  });
  const script = outputFiles?.[0]?.text ?? '';
  site = createServer((request, response) => {
    if (request.url === '/app.js') response.setHeader('content-type', 'text/javascript').end(script);
    else if (request.url === '/token') response.end(t.token('ada'));
    else response.setHeader('content-type', 'text/html').end(PAGE(t.baseUrl));
  });
  await once(site.listen(0, '127.0.0.1'), 'listening');
  browser = await TestBrowser.launch({ microphoneHz: AGENT_HZ });
  await t.devices.setCredentials(t.v1);
  const ada = { tenant: shop.tenant, agent: 'ada', deviceId: 'phone' };
  provider = await t.devices.register(t.v1, { ...ada, kind: 'ANDROID' });
});
beforeEach(async () => {
  phone = await browser.open(`http://127.0.0.1:${(site.address() as AddressInfo).port}`);
  // Ada begins her shift and leaves the app.
  await phone.page.evaluate(async () => {
    const { calls, device } = (window as AppWindow).app;
    await calls.onForeground(true);
    await device.agent?.setAvailability('AVAILABLE');
    await calls.onForeground(false);
  });
  await expect.poll(() => t.db.agentConnection.count({ where: { agent: agentOf(t, 'ada') } })).toBe(0);
  t.devices.simulator.reset();
});
afterEach(async () => {
  await phone.close();
  t.release();
  await endLiveCalls(t);
});
afterAll(async () => {
  site?.close();
  site?.closeAllConnections();
  await browser?.close();
  await t?.stop();
});

const push = (data: object) =>
  phone.page.evaluate((payload) => (window as AppWindow).app.calls.onPush(payload), data);
const answered = (uuid: string) =>
  phone.page.evaluate((id) => (window as AppWindow).app.calls.answered(id), uuid);
const ended = (uuid: string) => phone.page.evaluate((id) => (window as AppWindow).app.calls.ended(id), uuid);
const shown = () => phone.page.evaluate(() => (window as AppWindow).app.shown);
const touched = () => phone.page.evaluate(() => (window as AppWindow).app.touched);

test('a push notification wakes the app, and the call has audio in both directions', async () => {
  const customer = await (await t.phone()).call(shop.main, t.sip, { from: CUSTOMER });
  const data = await provider.received();
  await push(data);
  expect(await shown()).toEqual([`ring +${CUSTOMER}`]);
  await answered(data.pushId);
  await customer.answered();
  customer.audio.sendTone(CUSTOMER_HZ);
  await Promise.all([
    hearsTone(customer.audio, AGENT_HZ, HEARD_WITHIN_MS),
    phone.hearsTone(CUSTOMER_HZ, { withinMs: HEARD_WITHIN_MS }),
  ]);
  await hearEachOther(phone, customer.audio, tones, CONVERSATION_MS);
  await ended(data.pushId);
  const life = await lifeOf(t, Number(data.callId));
  expect(life.ended).toMatchObject({
    terminationReason: 'COMPLETED',
    terminatedBy: 'AGENT',
    agentRef: 'ada',
  });
  expect(await shown()).toEqual([`ring +${CUSTOMER}`, 'connected']);
  await expect.poll(() => t.db.agentConnection.count({ where: { agent: agentOf(t, 'ada') } })).toBe(0);
  expect(await touched()).toEqual([]);
});

test('an answer fails at once if the caller has hung up, and a live call moves to the phone', async () => {
  const first = await (await t.phone()).call(shop.main, t.sip, { from: CUSTOMER });
  const data = await provider.received();
  await first.hangUp();
  await lifeOf(t, Number(data.callId));
  await Promise.all([answered(data.pushId), push(data)]);
  await expect.poll(shown).toEqual([`ring +${CUSTOMER}`, 'end ended']);
  expect(await provider.received(2)).toMatchObject({ type: 'call.withdrawn', callId: data.callId });

  const laptop = await t.agent('ada');
  const customer = await (await t.phone()).call(shop.main, t.sip, { from: CUSTOMER });
  const { callId } = await laptop.incoming();
  await laptop.accept(callId);
  await customer.answered();
  customer.audio.sendTone(CUSTOMER_HZ);
  await phone.page.evaluate(async () => {
    const { calls, device } = (window as AppWindow).app;
    await calls.onForeground(true);
    await device.agent?.calls[0]?.resume();
  });
  await Promise.all([
    hearsTone(customer.audio, AGENT_HZ, HEARD_WITHIN_MS),
    phone.hearsTone(CUSTOMER_HZ, { withinMs: HEARD_WITHIN_MS }),
  ]);
  await hearEachOther(phone, customer.audio, tones, CONVERSATION_MS);
  await customer.hangUp();
  await lifeOf(t, callId);
  laptop.close();
  expect(await touched()).toEqual([]);
});
