/** Transfers in real browsers with different tones: what each person hears during a transfer and afterwards. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { measureTone, tonePower } from '@clarion/test-phone/audio/goertzel';
import { SdkSite, type SdkAgent } from '@clarion/testkit/agents/sdk-page';
import { TestBrowser } from '@clarion/testkit/agents/browser';
import { TestStack } from '@clarion/testkit/stack/stack';
import { channels, customersOf, type Customers } from '@clarion/testkit/peers/customers';
import type { FarCall } from '@clarion/testkit/peers/far-call';
import { HEARD_WITHIN_MS, hearsTone } from '@clarion/test-phone/audio/hears-tone';
import { endLiveCalls, lifeOf, openCallCentre } from '@clarion/testkit/stack/call-centre';
import { uploadTone } from '@clarion/testkit/recordings/upload-tone';
import { toSamples } from '@clarion/test-phone/rtp/port';
import type { CallDetail } from '@clarion/protocol/call';

const CUSTOMER_HZ = 600;
const ADA_HZ = 1000;
const BOB_HZ = 1500;
const MUSIC_HZ = 850;
const RINGBACK_HZ = 425;
/** The ringback tone is on for one second in five, and a busy machine may need several measurements. */
const RINGBACK_WITHIN_MS = 12_000;
/** After a transfer is accepted, the new agent and the customer must hear each other within 1 s. */
const CONNECTED_WITHIN_MS = 1000;
/** A second of audio. */
const MEASURE_PACKETS = 50;
const QUIET_DB = -50;
const RATE = 8000;
/** 200 ms. */
const WINDOW_PACKETS = 10;
const FULL_SCALE = 32_768;

let t: TestStack;
let browsers: TestBrowser[];
let site: SdkSite;
let ada: SdkAgent;
let bob: SdkAgent;
let ids: { ada: number; bob: number; support: number };

beforeAll(async () => {
  t = await TestStack.share();
  await openCallCentre(t, { agents: ['ada'] });
  const at = '/v1/tenants/shop';
  const music = await uploadTone(t.v1, { hz: MUSIC_HZ, seconds: 1 });
  await t.v1.ok('PUT', `${at}/queues/sales`, {
    name: 'Sales',
    hold_audio_asset_id: music,
    members: [{ agent_ref: 'ada' }],
  });
  await t.v1.ok('PUT', `${at}/agents/bob`, { name: 'Bob' });
  const members = [{ agent_ref: 'bob' }];
  const { queue } = await t.v1.ok<{ queue: { id: number } }>('PUT', `${at}/queues/support`, {
    name: 'Support',
    members,
  });
  const idOf = async (ref: string) =>
    (await t.v1.ok<{ agent: { id: number } }>('GET', `${at}/agents/${ref}`)).agent.id;
  ids = { ada: await idOf('ada'), bob: await idOf('bob'), support: queue.id };
  browsers = await Promise.all([
    TestBrowser.launch({ microphoneHz: ADA_HZ }),
    TestBrowser.launch({ microphoneHz: BOB_HZ }),
  ]);
  site = await SdkSite.open(t.baseUrl, (agentRef) => t.token(agentRef));
  const [first, second] = browsers as [TestBrowser, TestBrowser];
  ada = await site.agent(first, 'ada', { device: 'laptop' });
  bob = await site.agent(second, 'bob', { device: 'desk' });
});
beforeEach(async () => {
  await ada.setAvailability('AVAILABLE');
  await bob.setAvailability('AVAILABLE');
});
afterEach(async () => {
  t.release();
  await endLiveCalls(t);
});
afterAll(async () => {
  site?.close();
  for (const browser of browsers ?? []) await browser.close();
  await t?.stop();
});

/** A call that Ada has answered; both sides hear each other. */
async function talking(customers: Customers, number: string): Promise<{ callId: number; call: FarCall }> {
  const seen = await ada.watchFor('incoming');
  // With PCMA, the ringback is the European one, a single tone.
  const call = await customers.call(number, { laws: ['PCMA'] });
  const { callId } = await seen();
  await ada.accept(callId);
  await call.answered();
  call.audio.sendTone(CUSTOMER_HZ);
  await Promise.all([
    hearsTone(call.audio, ADA_HZ),
    ada.browserPage.hearsTone(CUSTOMER_HZ, { withinMs: HEARD_WITHIN_MS }),
  ]);
  return { callId, call };
}

/** Waits until the customer has received another second of audio. @returns the level of a tone in it, in dB of full scale */
async function nextSecondAtCustomer({ audio }: FarCall): Promise<(hz: number) => number> {
  const from = performance.now();
  const since = () => audio.heard.filter(({ at }) => at > from);
  await expect
    .poll(() => since().length, { timeout: HEARD_WITHIN_MS })
    .toBeGreaterThanOrEqual(MEASURE_PACKETS);
  const samples = toSamples(since(), audio.law);
  return (hz) => 10 * Math.log10(tonePower(samples, RATE, hz) / FULL_SCALE ** 2 + 1e-12);
}

const detailOf = (callId: number) => t.v1.ok<CallDetail>('GET', `/v1/calls/${callId}`);
/** Answers at `agent`. @returns when both directions became audible, determined from the recorded audio (ms since the epoch) */
async function takenOver(agent: SdkAgent, callId: number, call: FarCall, agentHz: number): Promise<number> {
  const { page } = agent.browserPage;
  await agent.browserPage.forget();
  const pressedAt = performance.now();
  await agent.accept(callId);
  const [, intoRecordingMs] = await Promise.all([
    hearsTone(call.audio, agentHz, HEARD_WITHIN_MS),
    agent.browserPage.hearsTone(CUSTOMER_HZ, { withinMs: HEARD_WITHIN_MS }),
  ]);
  const recordedFrom = await page.evaluate(
    () => performance.timeOrigin + (window.testkitEar.tracks.at(-1)?.startedAt ?? 0),
  );
  const packets = call.audio.heard.filter(({ at }) => at > pressedAt);
  const first = packets.find((_, index) => {
    const samples = toSamples(packets.slice(index, index + WINDOW_PACKETS), call.audio.law);
    return measureTone(samples, RATE, agentHz).heard;
  });
  const heardByCustomer = performance.timeOrigin + (first?.at ?? Number.NaN);
  return Math.max(heardByCustomer, recordedFrom + intoRecordingMs);
}

describe.each(channels)('a customer on %s', (channel) => {
  let customers: Customers;
  let main: string;

  beforeAll(async () => {
    customers = customersOf(t, channel);
    main = await customers.line('shared', { inbound_queue_ref: 'sales' });
  });

  test('during a transfer to a colleague the caller hears hold audio, then the two hear each other within 1 s, without the first agent', async () => {
    const { callId, call } = await talking(customers, main);
    const rings = await bob.watchFor('incoming');
    await ada.browserPage.forget();
    await ada.transfer(callId, { agentId: ids.bob });
    await hearsTone(call.audio, MUSIC_HZ);
    // On WhatsApp audio is µ-law, and the ringback the American one of two tones.
    if (channel === 'SIP') await ada.browserPage.hearsTone(RINGBACK_HZ, { withinMs: RINGBACK_WITHIN_MS });
    const duringTransfer = await nextSecondAtCustomer(call);
    expect(duringTransfer(MUSIC_HZ)).toBeGreaterThan(QUIET_DB);
    expect(duringTransfer(ADA_HZ)).toBeLessThan(QUIET_DB);
    const during = await detailOf(callId);
    expect(during.participants.map(({ agentRef }) => agentRef)).toEqual([null, 'ada']);
    expect(during.transfers).toMatchObject([{ acceptedAt: null, acceptanceDurationSeconds: null }]);

    await rings();
    const adaHasLeft = await ada.watchFor('state', { state: 'ended' });
    const heardAt = await takenOver(bob, callId, call, BOB_HZ);
    await adaHasLeft();
    await ada.browserPage.forget();
    const afterTransfer = await nextSecondAtCustomer(call);
    expect(afterTransfer(ADA_HZ)).toBeLessThan(QUIET_DB);
    expect(afterTransfer(MUSIC_HZ)).toBeLessThan(QUIET_DB);
    expect((await ada.browserPage.hearing())?.samples.length ?? 0).toBe(0);
    await bob.hangup(callId);

    const { events, ended } = await lifeOf(t, callId);
    expect(events.map(({ event_type }) => event_type)).toEqual([
      'call.created',
      'call.ringing',
      'call.answered',
      'call.transferred',
      'call.ended',
    ]);
    expect(events[3]?.data).toMatchObject({ call: { agentRef: 'bob', status: 'IN_PROGRESS' } });
    expect(ended).toMatchObject({ agentRef: 'bob', terminatedBy: 'AGENT', terminationReason: 'COMPLETED' });
    const { participants, legs, transfers, events: log } = await detailOf(callId);
    expect(participants).toMatchObject([
      { kind: 'CUSTOMER', agentId: null, leaveReason: 'ENDED' },
      { kind: 'AGENT', agentRef: 'ada', deviceId: 'laptop', leaveReason: 'TRANSFERRED' },
      { kind: 'AGENT', agentRef: 'bob', deviceId: 'desk', leaveReason: 'ENDED' },
    ]);
    expect(legs).toMatchObject([
      { type: 'AGENT', agentId: ids.bob, deviceId: 'desk', state: 'DISCONNECTED' },
      { type: 'CUSTOMER', agentId: null },
    ]);
    const [transfer, ...others] = transfers;
    expect(others).toEqual([]);
    expect(transfer).toEqual({
      id: expect.any(Number),
      fromAgentId: ids.ada,
      toAgentId: ids.bob,
      toQueueId: null,
      initiatedByAgentId: ids.ada,
      initiatedByType: 'AGENT',
      transferredAt: expect.any(String),
      acceptedAt: expect.any(String),
      acceptanceDurationSeconds: expect.any(Number),
    });
    expect(participants[1]?.leftAt).toBe(transfer?.acceptedAt);
    expect(heardAt - Date.parse(transfer?.acceptedAt ?? '')).toBeLessThan(CONNECTED_WITHIN_MS);
    expect(log.map(({ type }) => type)).toEqual([
      'CREATED',
      'QUEUED',
      'OFFERED',
      'ACCEPTED',
      'ANSWERED',
      'TRANSFER_STARTED',
      'OFFERED',
      'ACCEPTED',
      'TRANSFERRED',
      'ENDED',
    ]);
  });

  test('when a transfer is declined, the caller and the first agent hear each other again', async () => {
    const { callId, call } = await talking(customers, main);
    const rings = await bob.watchFor('incoming');
    await ada.transfer(callId, { agentId: ids.bob });
    await rings();
    await hearsTone(call.audio, MUSIC_HZ);
    await bob.decline(callId);
    await ada.browserPage.forget();
    await Promise.all([
      hearsTone(call.audio, ADA_HZ, CONNECTED_WITHIN_MS),
      ada.browserPage.hearsTone(CUSTOMER_HZ, { withinMs: HEARD_WITHIN_MS }),
    ]);
    await call.hangUp();
    const { ended } = await lifeOf(t, callId);
    expect(ended).toMatchObject({ agentRef: 'ada', terminatedBy: 'CUSTOMER' });
    const { transfers, events } = await detailOf(callId);
    expect(transfers).toMatchObject([{ toAgentId: ids.bob, acceptedAt: null }]);
    expect(events.find(({ type }) => type === 'TRANSFER_FAILED')).toMatchObject({
      agentId: ids.ada,
      metadata: { reason: 'DECLINED', toAgentId: ids.bob },
    });
  });

  test('on hold the caller hears the hold audio of the queue, and stays on hold when a transfer is cancelled', async () => {
    const { callId, call } = await talking(customers, main);
    await ada.hold(callId, true);
    await hearsTone(call.audio, MUSIC_HZ);
    const rings = await bob.watchFor('incoming');
    await ada.transfer(callId, { agentId: ids.bob });
    await rings();
    const withdrawn = await bob.watchFor('withdrawn');
    await ada.cancelTransfer(callId);
    expect(await withdrawn()).toMatchObject({ callId, reason: 'CANCELLED' });
    const onHold = await nextSecondAtCustomer(call);
    expect(onHold(ADA_HZ)).toBeLessThan(QUIET_DB);
    await hearsTone(call.audio, MUSIC_HZ);
    await ada.browserPage.forget();
    await ada.hold(callId, false);
    await Promise.all([
      hearsTone(call.audio, ADA_HZ, CONNECTED_WITHIN_MS),
      ada.browserPage.hearsTone(CUSTOMER_HZ, { withinMs: HEARD_WITHIN_MS }),
    ]);
    await call.hangUp();
    await lifeOf(t, callId);
  });

  test('a call to a personal line can be transferred to a queue and back to the first agent', async () => {
    const own = await customers.line('ada-own', { owner_agent_ref: 'ada' });
    const { callId, call } = await talking(customers, own);
    const rings = await bob.watchFor('incoming');
    await ada.transfer(callId, { queueId: ids.support });
    await rings();
    const adaHasLeft = await ada.watchFor('state', { state: 'ended' });
    const heardAt = [await takenOver(bob, callId, call, BOB_HZ)];
    await adaHasLeft();

    const ringsBack = await ada.watchFor('incoming');
    await bob.transfer(callId, { agentId: ids.ada });
    await ringsBack();
    const bobHasLeft = await bob.watchFor('state', { state: 'ended' });
    heardAt.push(await takenOver(ada, callId, call, ADA_HZ));
    await bobHasLeft();
    await ada.hangup(callId);
    const { ended, events } = await lifeOf(t, callId);
    expect(events.filter(({ event_type }) => event_type === 'call.transferred')).toHaveLength(2);
    expect(ended).toMatchObject({ agentRef: 'ada', channelRef: customers.ref('ada-own') });
    const { participants, transfers } = await detailOf(callId);
    expect(participants.map(({ agentRef, leaveReason }) => [agentRef, leaveReason])).toEqual([
      [null, 'ENDED'],
      ['ada', 'TRANSFERRED'],
      ['bob', 'TRANSFERRED'],
      ['ada', 'ENDED'],
    ]);
    expect(transfers).toMatchObject([
      { fromAgentId: ids.ada, toQueueId: ids.support, toAgentId: ids.bob },
      { fromAgentId: ids.bob, toQueueId: null, toAgentId: ids.ada },
    ]);
    transfers.forEach(({ acceptedAt }, index) => {
      expect((heardAt[index] ?? Number.NaN) - Date.parse(acceptedAt ?? '')).toBeLessThan(CONNECTED_WITHIN_MS);
    });
  });
});
