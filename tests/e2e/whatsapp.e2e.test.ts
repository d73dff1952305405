/**
 * Calls on WhatsApp with a real browser at one end and Meta's protocol at the other: ICE, DTLS, Opus, pre_accept and accept. The outcomes of
 * such calls are rows of outcomes/*-rows.ts, and faults of Meta in whatsapp/. Flows, transfers, monitoring and recordings run for both
 * channels in their own files.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallView } from '@clarion/protocol/call';
import type { WhatsAppPermissionResource } from '@clarion/protocol/v1/call/whatsapp-permission';
import { tonePower } from '@clarion/test-phone/audio/goertzel';
import { HEARD_WITHIN_MS, hearsTone } from '@clarion/test-phone/audio/hears-tone';
import { TestBrowser } from '@clarion/testkit/agents/browser';
import { hearEachOther } from '@clarion/testkit/agents/conversation';
import { SdkSite, type SdkAgent } from '@clarion/testkit/agents/sdk-page';
import { LONGEST_GAP_MS } from '@clarion/testkit/peers/customers';
import type { WhatsAppCall } from '@clarion/testkit/peers/whatsapp-customer';
import {
  endLiveCalls,
  intend,
  isOf,
  lifeOf,
  newestCall,
  openCallCentre,
  whatsAppLine,
} from '@clarion/testkit/stack/call-centre';
import { TestStack } from '@clarion/testkit/stack/stack';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

const CUSTOMER_HZ = 600;
const AGENT_HZ = 1000;
const tones = { customerHz: CUSTOMER_HZ, agentHz: AGENT_HZ };
const CONVERSATION_MS = 4_000;
/** North American ringback, because WhatsApp's audio is decoded to µ-law. */
const RINGBACK_HZ = [440, 480];
const RINGBACK_DB = -40;
const FULL_SCALE = 32_768;
/** Meta ends a call without packets after 20 or 30 s, so the leg must send all the time. 50 is the rate of packets of 20 ms. */
const LEAST_PACKETS_PER_SECOND = 45;
const MEASURE_MS = 2_000;

let t: TestStack;
let browser: TestBrowser;
let site: SdkSite;
let ada: SdkAgent;
let queueNumber: string;

beforeAll(async () => {
  t = await TestStack.share();
  browser = await TestBrowser.launch({ microphoneHz: AGENT_HZ });
  site = await SdkSite.open(t.baseUrl, (agentRef) => t.token(agentRef));
  await openCallCentre(t);
  queueNumber = await whatsAppLine(t, 'whatsapp', { inbound_queue_ref: 'sales' });
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

/** What the service has asked Meta to do with the calls of this number. */
const actionsFor = (phoneNumberId: string) =>
  t.meta.simulator.control.journal.entries.flatMap((entry) =>
    entry.type === 'request' && entry.path.includes(`/${phoneNumberId}/calls`) && entry.status === 200
      ? [entry.action]
      : [],
  );

async function audioBothWays(call: WhatsAppCall): Promise<void> {
  call.audio.sendTone(CUSTOMER_HZ);
  await Promise.all([
    hearsTone(call.audio, AGENT_HZ),
    ada.browserPage.hearsTone(CUSTOMER_HZ, { withinMs: HEARD_WITHIN_MS }),
  ]);
}

test('a call to a queue is accepted at once, and customer and agent hear each other', async () => {
  const number = await whatsAppLine(t, 'queue-line', { inbound_queue_ref: 'sales' });
  const seen = await ada.watchFor('incoming');
  const call = await t.meta.addCustomer().call(number);
  await call.answered();
  const { callId } = await seen();
  expect((await newestCall(t)).answeredAt).toBeNull();
  await ada.accept(callId);
  await audioBothWays(call);
  await hearEachOther(ada.browserPage, call.audio, tones, CONVERSATION_MS, LONGEST_GAP_MS.WHATSAPP);
  await ada.hangup(callId);
  expect(await call.ended()).toMatchObject({ how: 'bye-received' });
  call.assertProtocol();
  expect(actionsFor(number)).toEqual(['accept', 'terminate']);
  const { answered, ended } = await lifeOf(t, callId);
  expect(answered).toMatchObject({ agentRef: 'ada', queueRef: 'sales', channelRef: 'queue-line' });
  expect(ended).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'AGENT' });
  expect(ended.durations.call).toBeGreaterThanOrEqual(CONVERSATION_MS / 1000);
});

test('a call to a personal line is prepared while it rings, and accepted when the agent accepts', async () => {
  const number = await whatsAppLine(t, 'ada-own', { owner_agent_ref: 'ada' });
  const seen = await ada.watchFor('incoming');
  const call = await t.meta.addCustomer().call(number);
  const { callId } = await seen();
  await call.rings();
  await expect.poll(() => call.view.mediaConnected).toBe(true);
  expect(call.view).toMatchObject({ state: 'pre_accepted', acceptedAt: null });
  await ada.accept(callId);
  await call.answered();
  await audioBothWays(call);
  await hearEachOther(ada.browserPage, call.audio, tones, CONVERSATION_MS, LONGEST_GAP_MS.WHATSAPP);
  await call.hangUp();
  call.assertProtocol();
  expect(actionsFor(number)).toEqual(['pre_accept', 'accept']);
  const { ended } = await lifeOf(t, callId);
  expect(ended).toMatchObject({
    channelRef: 'ada-own',
    terminationReason: 'COMPLETED',
    terminatedBy: 'CUSTOMER',
  });
});

test('a call to a customer rings, then both hear each other', async () => {
  const customer = t.meta.addCustomer();
  customer.allow(queueNumber);
  const taken = customer.nextCall(queueNumber);
  const callId = await intend(t, 'ada', { channel: 'whatsapp', address: `+${customer.waId}` });
  await ada.startOutbound(callId);
  const call = await taken;
  await call.rings();
  await expect.poll(hearsRingback).toBe(true);
  expect((await viewOf(callId)).answeredAt).toBeNull();
  call.answer();
  await audioBothWays(call);
  await hearEachOther(ada.browserPage, call.audio, tones, CONVERSATION_MS, LONGEST_GAP_MS.WHATSAPP);
  await call.hangUp();
  call.assertProtocol();
  const { events, ended } = await lifeOf(t, callId);
  expect(events.map(({ event_type }) => event_type)).toEqual([
    'call.created',
    'call.ringing',
    'call.answered',
    'call.ended',
  ]);
  expect(ended).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'CUSTOMER', agentRef: 'ada' });
});

const viewOf = async (callId: number): Promise<CallView> =>
  (await t.v1.ok<{ call: CallView }>('GET', `/v1/calls/${callId}`)).call;

/** Both tones of the ringback, in the last 400 ms: it is on for two seconds in six. */
async function hearsRingback(): Promise<boolean> {
  const hearing = await ada.browserPage.hearing();
  if (!hearing) return false;
  const recent = hearing.samples.subarray(-hearing.sampleRate * 0.4);
  return RINGBACK_HZ.every((hz) => {
    const power = tonePower(recent, hearing.sampleRate, hz) / FULL_SCALE ** 2;
    return 10 * Math.log10(power + Number.EPSILON) > RINGBACK_DB;
  });
}

test('a customer who is known only by a user ID can be called, and receives the digits that the agent sends', async () => {
  const customer = t.meta.addCustomer({ hidesNumber: true, behaviour: { onCall: 'answer' } });
  customer.allow(queueNumber);
  const taken = customer.nextCall(queueNumber);
  const callId = await intend(t, 'ada', { channel: 'whatsapp', address: customer.userId });
  await ada.startOutbound(callId);
  const call = await taken;
  await call.answered();
  await audioBothWays(call);
  await ada.sendDigits(callId, '12#');
  await expect.poll(() => call.view.media.digits).toBe('12#');
  await call.hangUp();
  call.assertProtocol();
  const { ended } = await lifeOf(t, callId);
  expect(ended).toMatchObject({
    terminationReason: 'COMPLETED',
    customer: { address: customer.userId, addressType: 'WHATSAPP_USER' },
  });
});

test('packets flow to the customer without a break, while waiting in a queue and on hold', async () => {
  await ada.setAvailability('OFFLINE');
  const call = await t.meta.addCustomer().call(queueNumber);
  await call.answered();
  await expect.poll(() => call.audio.heard.length).toBeGreaterThan(0);
  expect(await packetsPerSecond(call)).toBeGreaterThanOrEqual(LEAST_PACKETS_PER_SECOND);
  const seen = await ada.watchFor('incoming');
  await ada.setAvailability('AVAILABLE');
  const { callId } = await seen();
  await ada.accept(callId);
  await audioBothWays(call);
  await ada.hold(callId, true);
  expect(await packetsPerSecond(call)).toBeGreaterThanOrEqual(LEAST_PACKETS_PER_SECOND);
  await ada.hold(callId, false);
  await hearsTone(call.audio, AGENT_HZ);
  await ada.mute(callId, true);
  expect(await packetsPerSecond(call)).toBeGreaterThanOrEqual(LEAST_PACKETS_PER_SECOND);
  await call.hangUp();
  await lifeOf(t, callId);
});

async function packetsPerSecond({ audio }: WhatsAppCall): Promise<number> {
  const from = performance.now();
  const before = audio.heard.length;
  await sleep(MEASURE_MS); // the window that is measured
  // It ends with a packet, because this process may not have read the last ones yet. A stream that has stopped has none.
  const lastAt = () => audio.heard.at(-1)?.at ?? 0;
  await expect.poll(lastAt).toBeGreaterThan(from + MEASURE_MS);
  return ((audio.heard.length - before) * 1000) / (lastAt() - from);
}

test('a customer grants the permission that was asked for, and the event says so', async () => {
  const customer = t.meta.addCustomer({ behaviour: { onPermissionRequest: 'accept', onCall: 'answer' } });
  const address = `+${customer.waId}`;
  const path = '/v1/tenants/shop/customers/whatsapp-permission';
  await t.v1.ok('POST', path, { channel_ref: 'whatsapp', address, text: 'May we call you?' });
  const granted = { channelRef: 'whatsapp', status: 'TEMPORARY', canCall: true };
  const { event } = await t.webhooks.waitFor(
    ({ event: { event_type, data } }) =>
      event_type === 'whatsapp.permission_changed' &&
      permissionOf(data).customer.address === address &&
      permissionOf(data).status === granted.status,
  );
  expect(permissionOf(event.data)).toMatchObject(granted);
  const query = new URLSearchParams({ channel_ref: 'whatsapp', address });
  await expect
    .poll(async () => permissionOf(await t.v1.ok('GET', `${path}?${query}`)))
    .toMatchObject({ ...granted, request: { status: 'SENT', failure: null } });

  const taken = customer.nextCall(queueNumber);
  const callId = await intend(t, 'ada', { channel: 'whatsapp', address });
  await ada.startOutbound(callId);
  await (await taken).answered();
  await t.webhooks.waitFor(isOf(callId, 'call.answered'));
  await ada.hangup(callId);
  expect((await lifeOf(t, callId)).ended).toMatchObject({ terminationReason: 'COMPLETED' });
});

const permissionOf = (data: unknown): WhatsAppPermissionResource =>
  (data as { permission: WhatsAppPermissionResource }).permission;
