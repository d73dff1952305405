/** With Chromium as the agent's phone: how a real browser handles our answer and changing SSRCs. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestBrowser, type BrowserPage } from '@clarion/testkit/agents/browser';
import { LONGEST_GAP_MS } from '@clarion/testkit/peers/customers';
import { isSteady, measureTone, tonePower } from '@clarion/test-phone/audio/goertzel';
import { toSamples } from '@clarion/test-phone/rtp/port';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { MediaFixture } from './support/media-fixture.ts';
import { acceptance, eventually } from './support/fake-realtime.ts';

let fixture: MediaFixture;
let browser: TestBrowser;
let site: Server;

beforeAll(async () => {
  fixture = await MediaFixture.start();
  browser = await TestBrowser.launch({ microphoneHz: 1_000 });
  site = createServer((_req, res) =>
    res.setHeader('content-type', 'text/html').end('<!doctype html><title>agent</title>'),
  );
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
});
afterAll(async () => {
  await browser.close();
  site.close();
  await fixture.close();
});

async function connect(page: BrowserPage, callId: number, legId: string): Promise<void> {
  const sdpOffer = await page.page.evaluate(async () => {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const connection = new RTCPeerConnection();
    for (const track of stream.getTracks()) connection.addTrack(track, stream);
    await connection.setLocalDescription();
    Object.assign(window, { connection });
    return connection.localDescription?.sdp ?? '';
  });
  const { sdpAnswer } = await fixture.realtime.command('agent:connect', { callId, legId, sdpOffer });
  await page.page.evaluate(async (sdp) => {
    const { connection } = window as typeof window & { connection: RTCPeerConnection };
    await connection.setRemoteDescription({ type: 'answer', sdp });
  }, sdpAnswer);
  await fixture.realtime.fact('leg:connected', legId);
}

test('a browser hears ringback, the carrier, the carrier with other SSRCs, and the carrier after hold', async () => {
  const page = await browser.open(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  const phone = await SipPhone.open({ laws: ['PCMA'] });
  const callId = fixture.callId();
  fixture.realtime.decide = () => acceptance(callId);
  const call = await phone.call('1', fixture.sip);
  await call.rings();
  const carrier = fixture.realtime.invites.at(-1)?.legId ?? '';
  await connect(page, callId, 'browser');
  await fixture.route(callId, { browser: [{ kind: 'tone', tone: 'ringback' }] });
  await page.hearsTone(425, { withinMs: 7_000 });
  await fixture.realtime.command('carrier:answer', { callId, legId: carrier });
  await call.answered();
  const bridged = {
    browser: [{ kind: 'leg', legId: carrier }],
    [carrier]: [{ kind: 'leg', legId: 'browser' }],
  };
  await fixture.route(callId, bridged);
  call.audio.sendTone(600);
  const leg = fixture.media.calls.carrier(callId, carrier);
  await eventually('the leg is handed over', () => leg?.handedOverTo !== null);
  await page.forget();
  await page.hearsTone(600);
  await eventually('the carrier hears the microphone', () => {
    const samples = toSamples(call.audio.heard.slice(-20), 'PCMA');
    return samples.length >= 3_200 && measureTone(samples, 8_000, 1_000).heard;
  });

  for (const hz of [700, 800, 900]) {
    call.audio.changeSsrc();
    call.audio.sendTone(hz);
    await page.forget();
    await page.hearsTone(hz);
  }
  for (const hz of [650, 750]) {
    await fixture.route(callId, { browser: [], [carrier]: [{ kind: 'tone', tone: 'hold' }] });
    await eventually('the leg is on the local endpoint', () => leg?.handedOverTo === null);
    call.audio.sendTone(hz);
    await fixture.route(callId, bridged);
    await eventually('the leg is handed over again', () => leg?.handedOverTo !== null);
    await page.forget();
    await page.hearsTone(hz);
  }
  // The tone before was also heard from the local endpoint, before the hand-over.
  call.audio.sendTone(850);
  await page.hearsTone(850);
  const heard = await page.listen(850, 2_000);
  expect(isSteady(heard, LONGEST_GAP_MS.SIP.agent), JSON.stringify(heard)).toBe(true);
  await call.hangUp();
  await fixture.realtime.fact('leg:ended', carrier);
  await fixture.realtime.command('call:release', { callId });
  await page.close();
  phone.close();
});

test('a browser hears a whisper that the caller does not hear, and then the caller again', async () => {
  const page = await browser.open(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  const phone = await SipPhone.open({ laws: ['PCMA'] });
  const callId = fixture.callId();
  fixture.realtime.decide = () => acceptance(callId);
  const call = await phone.call('1', fixture.sip);
  await call.rings();
  const carrier = fixture.realtime.invites.at(-1)?.legId ?? '';
  await connect(page, callId, 'agent');
  await fixture.realtime.command('carrier:answer', { callId, legId: carrier });
  await call.answered();
  const supervisor = await fixture.agent(callId, 'supervisor', { as: 'monitor' });
  supervisor.sendTone(1_700);
  const leg = (legId: string) => ({ kind: 'leg', legId });
  const listening = {
    [carrier]: [leg('agent')],
    agent: [leg(carrier)],
    supervisor: [leg(carrier), leg('agent')],
  };
  await fixture.route(callId, listening);
  call.audio.sendTone(600);
  await page.hearsTone(600);
  call.audio.silence();
  await fixture.route(callId, { ...listening, agent: [leg(carrier), leg('supervisor')] });
  await page.forget();
  await page.hearsTone(1_700);
  const packets = call.audio.heard.length;
  await eventually('the caller hears a second of it', () => call.audio.heard.length > packets + 55);
  const samples = toSamples(call.audio.heard.slice(-50), 'PCMA');
  expect(measureTone(samples, 8_000, 1_000).heard).toBe(true);
  expect(10 * Math.log10(tonePower(samples, 8_000, 1_700) / 32_768 ** 2 + 1e-12)).toBeLessThan(-50);
  await fixture.route(callId, listening);
  call.audio.sendTone(600);
  await page.forget();
  await page.hearsTone(600);
  await fixture.realtime.command('call:release', { callId });
  supervisor.close();
  await page.close();
  phone.close();
});
