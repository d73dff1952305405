/** Real calls reach an agent's browser through the SDK, and both sides hear each other. */
import { callDetail } from '@clarion/protocol';
import type { CallFigures, CallReport } from '@clarion/protocol/v1/report/reports';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { audioKeys, startSipp } from '@clarion/testkit/peers/sipp';
import { RtpPort } from '@clarion/test-phone/rtp/port';
import { SdkSite, type SdkAgent } from '@clarion/testkit/agents/sdk-page';
import { TestBrowser } from '@clarion/testkit/agents/browser';
import { TestStack } from '@clarion/testkit/stack/stack';
import { type Law } from '@clarion/test-phone/rtp/g711';
import { HEARD_WITHIN_MS, hearsTone } from '@clarion/test-phone/audio/hears-tone';
import { hearEachOther } from '@clarion/testkit/agents/conversation';
import { channels, customersOf, LONGEST_GAP_MS, type Customers } from '@clarion/testkit/peers/customers';
import {
  endLiveCalls,
  intend,
  lifeOf,
  newestCall,
  openCallCentre,
  type CallCentreFixture,
} from '@clarion/testkit/stack/call-centre';

const CUSTOMER_HZ = 440;
const AGENT_HZ = 1000;
const WRONG_HZ = 2300;
/** Sent with the new SSRC: the browser still plays some audio of the previous one. */
const NEW_STREAM_HZ = 700;
/** The frequency of media's hold tone (apps/media/src/rtp/tone.ts). */
const HOLD_HZ = 440;
const CONVERSATION_MS = 10_000;
const tones = { customerHz: CUSTOMER_HZ, agentHz: AGENT_HZ };

let t: TestStack;
let browser: TestBrowser;
let site: SdkSite;
let shop: CallCentreFixture;
let ada: SdkAgent;

beforeAll(async () => {
  t = await TestStack.share();
  browser = await TestBrowser.launch({ microphoneHz: AGENT_HZ });
  site = await SdkSite.open(t.baseUrl, (agentRef) => t.token(agentRef));
  shop = await openCallCentre(t);
  ada = await site.agent(browser, 'ada', { device: 'laptop' });
});
beforeEach(() => ada.setAvailability('AVAILABLE'));
afterEach(async () => {
  t.release();
  await endLiveCalls(t);
});
afterAll(async () => {
  site?.close();
  await browser?.close();
  await t?.stop();
});

describe.each([
  ['PCMA', 'udp'],
  ['PCMU', 'tcp'],
] as const)('a call by sipp from a %s carrier over %s', (law: Law, transport) => {
  test('is answered in the browser, and both sides hear each other for 10 s', async () => {
    const audio = await RtpPort.open({ law });
    audio.answersFirst = true;
    audio.sendTone(CUSTOMER_HZ);
    const seen = await ada.watchFor('incoming');
    const sipp = startSipp({
      scenario: 'caller',
      server: t.sip,
      number: shop.main,
      transport,
      keys: audioKeys(audio, law),
    });
    const { callId } = await seen();
    await ada.accept(callId);
    await Promise.all([
      hearsTone(audio, AGENT_HZ, HEARD_WITHIN_MS),
      ada.browserPage.hearsTone(CUSTOMER_HZ, { withinMs: HEARD_WITHIN_MS }),
    ]);
    await hearEachOther(ada.browserPage, audio, tones, CONVERSATION_MS);
    await ada.hangup(callId);
    await sipp.done;
    audio.close();

    const { answered, ended } = await lifeOf(t, callId);
    expect(answered).toMatchObject({ status: 'IN_PROGRESS', agentRef: 'ada', channelRef: 'main' });
    expect(ended).toMatchObject({
      status: 'TERMINATED',
      direction: 'INBOUND',
      terminationReason: 'COMPLETED',
      terminatedBy: 'AGENT',
      customer: { address: '+441632960000' },
    });
    expect(ended.durations.call).toBeGreaterThanOrEqual(CONVERSATION_MS / 1000);
    expect(ended.durations.call).toBeLessThan(CONVERSATION_MS / 1000 + 5);
  });
});

test('the agent hears the caller even after a change of SSRC, but no audio from another address', async () => {
  const phone = await t.phone({ laws: ['PCMU'] });
  const seen = await ada.watchFor('incoming');
  const call = await phone.call(shop.main, t.sip, { from: '441632960001' });
  const { callId } = await seen();
  await ada.accept(callId);
  await call.answered();
  call.audio.sendTone(CUSTOMER_HZ);
  await ada.browserPage.hearsTone(CUSTOMER_HZ, { withinMs: HEARD_WITHIN_MS });
  await hearsTone(call.audio, AGENT_HZ);

  const stranger = await RtpPort.open({ address: '127.0.0.66', law: 'PCMU' });
  stranger.remote = call.audio.remote;
  stranger.sendTone(WRONG_HZ, { amplitude: 20_000 });
  await hearEachOther(ada.browserPage, call.audio, tones, 3000);
  expect(stranger.heard).toEqual([]);

  call.audio.changeSsrc();
  call.audio.sendTone(NEW_STREAM_HZ);
  await ada.browserPage.forget();
  await ada.browserPage.hearsTone(NEW_STREAM_HZ, { withinMs: HEARD_WITHIN_MS });
  await hearEachOther(ada.browserPage, call.audio, { ...tones, customerHz: NEW_STREAM_HZ }, 3000);
  stranger.close();

  await call.hangUp();
  const { ended } = await lifeOf(t, callId);
  expect(ended).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'CUSTOMER' });
});

test('the agent hears early media of the carrier before the answer', async () => {
  t.carrier.behaviour = { do: 'answer', afterMs: 4000, earlyMedia: true };
  t.carrier.onCall = (call) => call.audio.sendTone(620);
  const taken = t.carrier.nextCall();
  const callId = await intend(t, 'ada');
  await ada.startOutbound(callId);
  const call = await taken;
  expect([call.called, call.caller]).toEqual(['442079460999', shop.main.slice(1)]);
  await ada.browserPage.hearsTone(620, { withinMs: 3500 });
  await ada.hangup(callId);
  t.carrier.onCall = null;
  const { ended } = await lifeOf(t, callId);
  expect(ended).toMatchObject({ terminationReason: 'CANCELLED', terminatedBy: 'AGENT', answeredAt: null });
});

describe.each(channels)('a call on %s', (channel) => {
  let customers: Customers;
  let main: string;

  beforeAll(async () => {
    customers = customersOf(t, channel);
    main = await customers.line('shared', { inbound_queue_ref: 'sales' });
  });

  test('an outbound call rings and is answered, and both sides hear each other for 10 s', async () => {
    const { address, taken } = customers.answering(main, 1000);
    const callId = await intend(t, 'ada', {
      channel: customers.ref('shared'),
      address,
      more: { external_ref: 'order-1', consumer_metadata: { order: 1 } },
    });
    await ada.startOutbound(callId);
    const call = await taken;
    await call.answered();
    call.audio.sendTone(CUSTOMER_HZ);
    await Promise.all([
      hearsTone(call.audio, AGENT_HZ),
      ada.browserPage.hearsTone(CUSTOMER_HZ, { withinMs: HEARD_WITHIN_MS }),
    ]);
    await hearEachOther(ada.browserPage, call.audio, tones, CONVERSATION_MS, LONGEST_GAP_MS[channel]);
    await call.hangUp();
    const { ended } = await lifeOf(t, callId);
    expect(ended).toMatchObject({
      direction: 'OUTBOUND',
      terminationReason: 'COMPLETED',
      terminatedBy: 'CUSTOMER',
      externalRef: 'order-1',
      consumerMetadata: { order: 1 },
      agentRef: 'ada',
    });
    expect(ended.durations.call).toBeGreaterThanOrEqual(CONVERSATION_MS / 1000);
  });

  test('reports count an answered call and one whose caller gave up in the queue', async () => {
    const read = () => t.v1.ok<CallReport>('GET', '/v1/tenants/shop/reports/calls');
    const { totals: before } = await read();
    const seen = await ada.watchFor('incoming');
    const answered = await customers.call(main);
    const { callId } = await seen();
    await ada.accept(callId);
    await answered.answered();
    await answered.hangUp();
    await lifeOf(t, callId);
    await ada.setAvailability('OFFLINE');
    const waiting = await customers.call(main);
    await waiting.rings();
    const { callId: waitingId } = await newestCall(t);
    expect(waitingId).not.toBe(callId);
    await waiting.hangUp();
    await lifeOf(t, waitingId);
    const { totals } = await read();
    const counted = (name: keyof CallFigures) => (totals[name] ?? 0) - (before[name] ?? 0);
    const names = [
      'total',
      'inbound',
      'answered',
      'offered',
      'answeredFromQueue',
      'abandoned',
      'live',
    ] as const;
    expect(names.map((name) => [name, counted(name)])).toEqual([
      ['total', 2],
      ['inbound', 2],
      ['answered', 1],
      ['offered', 2],
      ['answeredFromQueue', 1],
      ['abandoned', 1],
      ['live', 0],
    ]);
  });

  test('a personal line rings its owner even while OFFLINE, and neither side hears the other while on hold', async () => {
    const own = await customers.line('ada-own', { owner_agent_ref: 'ada' });
    await ada.setAvailability('OFFLINE');
    const seen = await ada.watchFor('incoming');
    const call = await customers.call(own);
    const { callId } = await seen();
    await ada.accept(callId);
    await call.answered();
    call.audio.sendTone(CUSTOMER_HZ);
    await ada.browserPage.hearsTone(CUSTOMER_HZ, { withinMs: HEARD_WITHIN_MS });
    await hearsTone(call.audio, AGENT_HZ);
    await ada.hold(callId, true);
    // The hold tone shows that the hold has taken effect; until then the newest packets are still the agent's.
    await hearsTone(call.audio, HOLD_HZ, 5000);
    await expect(hearsTone(call.audio, AGENT_HZ, 1500)).rejects.toThrow('did not hear');
    const held = await ada.browserPage.listen(CUSTOMER_HZ, 500).catch(() => null);
    expect(held?.heardShare ?? 0).toBe(0);
    await ada.hold(callId, false);
    await hearsTone(call.audio, AGENT_HZ);
    await ada.browserPage.hearsTone(CUSTOMER_HZ, { withinMs: HEARD_WITHIN_MS });
    await hearEachOther(ada.browserPage, call.audio, tones, 2000, LONGEST_GAP_MS[channel]);
    await call.hangUp();
    const { ended } = await lifeOf(t, callId);
    expect(ended).toMatchObject({
      channelRef: customers.ref('ada-own'),
      agentRef: 'ada',
      terminationReason: 'COMPLETED',
    });
    // The packets that mediasoup received are counted together with those of the local endpoint.
    await vi.waitFor(async () => {
      const { legs } = callDetail.parse(await t.v1.ok('GET', `/v1/calls/${callId}`));
      expect(legs.map(({ quality }) => quality?.lostPackets)).toEqual([0, 0]);
    }, 5000);
  });

  test('a call is resumed when the page is reloaded', async () => {
    const seen = await ada.watchFor('incoming');
    const call = await customers.call(main);
    const { callId } = await seen();
    await ada.accept(callId);
    await call.answered();
    call.audio.sendTone(CUSTOMER_HZ);
    await hearsTone(call.audio, AGENT_HZ);

    await ada.browserPage.page.reload();
    await ada.connected();
    await ada.browserPage.hearsTone(CUSTOMER_HZ, { withinMs: 5000 });
    await hearsTone(call.audio, AGENT_HZ, 5000);
    await hearEachOther(ada.browserPage, call.audio, tones, 3000, LONGEST_GAP_MS[channel]);
    await ada.hangup(callId);
    expect(await call.ended()).toMatchObject({ how: 'bye-received' });
    const { ended } = await lifeOf(t, callId);
    expect(ended).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'AGENT' });
  });
});
