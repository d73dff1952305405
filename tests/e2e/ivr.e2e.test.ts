/** Callers in an IVR flow: they hear uploaded prompts, press keys, and reach an agent. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { audioKeys, startSipp } from '@clarion/testkit/peers/sipp';
import { channels, customersOf, type Customers } from '@clarion/testkit/peers/customers';
import { press, type FarCall } from '@clarion/testkit/peers/far-call';
import { RtpPort } from '@clarion/test-phone/rtp/port';
import { TestStack } from '@clarion/testkit/stack/stack';
import type { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import { hearsTone } from '@clarion/test-phone/audio/hears-tone';
import { endLiveCalls, lifeOf, line, newestCall, openCallCentre } from '@clarion/testkit/stack/call-centre';
import { uploadTone } from '@clarion/testkit/recordings/upload-tone';
import type { CallDetail } from '@clarion/protocol/call';

const WELCOME_HZ = 700;
const CLOSED_HZ = 1150;
const MUSIC_HZ = 900;
const AGENT_HZ = 1000;
const CUSTOMER_HZ = 440;
/** From the answer. */
const HOLD_AUDIO_WITHIN_MS = { SIP: 1000, WHATSAPP: 2000 };

let t: TestStack;
let ada: ScriptedAgent;
const sounds = { welcome: 0, closed: 0, music: 0 };
let queueId = 0;
let adaId = 0;

beforeAll(async () => {
  t = await TestStack.share();
  await openCallCentre(t);
  sounds.welcome = await uploadTone(t.v1, { hz: WELCOME_HZ, seconds: 1.5 });
  sounds.closed = await uploadTone(t.v1, { hz: CLOSED_HZ, seconds: 0.8 });
  sounds.music = await uploadTone(t.v1, { hz: MUSIC_HZ, seconds: 1 });
  const at = '/v1/tenants/shop';
  const { queue } = await t.v1.ok<{ queue: { id: number } }>('PUT', `${at}/queues/sales`, {
    name: 'Sales',
    hold_audio_asset_id: sounds.music,
    members: [{ agent_ref: 'ada' }],
  });
  queueId = queue.id;
  const { agent } = await t.v1.ok<{ agent: { id: number } }>('GET', `${at}/agents/ada`);
  adaId = agent.id;
  ada = await t.agent('ada');
  await ada.available();
});
afterEach(async () => {
  await endLiveCalls(t);
});
afterAll(async () => {
  ada?.close();
  await t?.stop();
});

const start = { id: 'start', type: 'ivr_start' };
const menu = (more = {}) => ({
  id: 'menu',
  type: 'ivr_menu',
  data: {
    label: 'Main menu',
    audioFileId: sounds.welcome,
    timeoutSeconds: 1,
    noInputAction: 'replay',
    ...more,
  },
});
const transfer = (id: string, targetType: string, targetId: number) => ({
  id,
  type: 'ivr_transfer',
  data: { targetType, targetId },
});
const goodbye = () => ({ id: 'bye', type: 'ivr_play', data: { audioFileId: sounds.closed } });
const edge = (source: string, target: string, sourceHandle?: string) => ({ source, target, sourceHandle });

let flows = 0;
const putFlow = (channelRef: string, nodes: object[], edges: object[], more = {}) =>
  t.v1.ok('PUT', `/v1/tenants/shop/ivr-flows/flow-${(flows += 1)}`, {
    name: 'Flow',
    channel_ref: channelRef,
    structure: { nodes, edges },
    ...more,
  });
const detailOf = (callId: number) => t.v1.ok<CallDetail>('GET', `/v1/calls/${callId}`);

async function dial(customers: Customers, number: string): Promise<FarCall> {
  const call = await customers.call(number);
  await call.answered();
  call.audio.sendTone(CUSTOMER_HZ);
  return call;
}

/** Resolves once the newest `ms` of packets are silent. */
async function silentFor(call: FarCall, ms: number): Promise<void> {
  await expect
    .poll(
      () =>
        hearsTone(call.audio, WELCOME_HZ, ms).then(
          () => 'heard',
          () => 'silence',
        ),
      { timeout: 5000 },
    )
    .toBe('silence');
}

describe.each(channels)('a customer on %s', (channel) => {
  let customers: Customers;
  beforeAll(() => {
    customers = customersOf(t, channel);
  });

  test('a menu is played, repeated if no key is pressed, and a key leads to the queue, its hold audio and an agent', async () => {
    const number = await customers.line('menu', {});
    await putFlow(
      customers.ref('menu'),
      [start, menu(), transfer('sales', 'queue', queueId)],
      [edge('start', 'menu'), edge('menu', 'sales', '1')],
    );
    await ada.send('availability:set', { status: 'OFFLINE' });
    const call = await dial(customers, number);
    await hearsTone(call.audio, WELCOME_HZ, 2000);
    // The key timeout starts at the end of the prompt.
    await silentFor(call, 500);
    await hearsTone(call.audio, WELCOME_HZ, 3000);
    await press(call, '21');
    await hearsTone(call.audio, MUSIC_HZ, 2000);
    const { callId } = await newestCall(t);
    await ada.available();
    await ada.incoming();
    const leg = await ada.accept(callId);
    leg.sendTone(AGENT_HZ);
    await hearsTone(call.audio, AGENT_HZ);
    await hearsTone(leg, CUSTOMER_HZ);
    await call.hangUp();
    const { answered, ended } = await lifeOf(t, callId);
    expect(answered).toMatchObject({ agentRef: 'ada', queueRef: 'sales' });
    expect(ended).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'CUSTOMER' });
    expect(ended.durations.call).toBeLessThan(ended.durations.total);
    const { ivrSessions } = await detailOf(callId);
    expect(ivrSessions).toMatchObject([{ completed: true, outcome: 'QUEUE' }]);
    expect(ivrSessions[0]?.inputs).toMatchObject([
      { nodeName: 'Main menu', input: '2' },
      { nodeName: 'Main menu', input: '1' },
    ]);
  });

  test('when the agent in the flow declines, the gathered digits are kept in the call', async () => {
    const number = await customers.line('account', {});
    const gather = {
      id: 'number',
      type: 'ivr_gather',
      data: { audioFileId: sounds.welcome, maxDigits: 8, finishOnKey: '#' },
    };
    await putFlow(
      customers.ref('account'),
      [start, gather, transfer('ada', 'agent', adaId), goodbye()],
      [edge('start', 'number'), edge('number', 'ada'), edge('ada', 'bye', 'overflow')],
    );
    const call = await dial(customers, number);
    await hearsTone(call.audio, WELCOME_HZ, 2000);
    await press(call, '4711#');
    const incoming = await ada.incoming();
    expect(incoming.assignmentType).toBe('DIRECT');
    await ada.send('call:decline', { callId: incoming.callId });
    await hearsTone(call.audio, CLOSED_HZ, 2000);
    expect(await call.ended()).toMatchObject({ how: 'bye-received' });
    const { ended } = await lifeOf(t, incoming.callId);
    expect(ended).toMatchObject({ terminationReason: 'NO_ANSWER', terminatedBy: 'SYSTEM' });
    const { ivrSessions } = await detailOf(incoming.callId);
    expect(ivrSessions.map(({ outcome }) => outcome)).toEqual(['AGENT', 'END']);
    expect(ivrSessions[0]?.inputs.map(({ input }) => input).join('')).toBe('4711#');
  });

  test('a queue that answers while customers wait plays its hold audio promptly, and an agent answers afterwards', async () => {
    await t.v1.ok('PUT', '/v1/tenants/shop/queues/patient', {
      name: 'Patient',
      answer_while_waiting: channel === 'SIP', // on WhatsApp a queue always answers
      hold_audio_asset_id: sounds.music,
      members: [{ agent_ref: 'ada' }],
    });
    const number = await customers.line('patient', { inbound_queue_ref: 'patient' });
    await ada.send('availability:set', { status: 'OFFLINE' });
    const call = await customers.call(number);
    await call.answered();
    await hearsTone(call.audio, MUSIC_HZ, HOLD_AUDIO_WITHIN_MS[channel]);
    call.audio.sendTone(CUSTOMER_HZ);
    const { callId, answeredAt } = await newestCall(t);
    expect(answeredAt).toBeNull();
    await ada.available();
    await ada.incoming();
    await hearsTone(call.audio, MUSIC_HZ);
    const acceptedAt = Date.now();
    const leg = await ada.accept(callId);
    leg.sendTone(AGENT_HZ);
    await hearsTone(call.audio, AGENT_HZ);
    await hearsTone(leg, CUSTOMER_HZ);
    await ada.hangUp(callId);
    expect(await call.ended()).toMatchObject({ how: 'bye-received' });
    const { answered, ended } = await lifeOf(t, callId);
    expect(answered).toMatchObject({ agentRef: 'ada', queueRef: 'patient' });
    expect(ended).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'AGENT' });
    expect(Date.parse(ended.answeredAt ?? '')).toBeGreaterThanOrEqual(acceptedAt);
  });
});

test('outside opening hours a message is played and the call ends, also for a call by sipp', async () => {
  const number = await line(t, 'after-hours', {});
  const hours = { id: 'hours', type: 'ivr_hours', data: { timezone: 'Europe/London', hours: [] } };
  await putFlow(
    'after-hours',
    [start, hours, goodbye(), { id: 'end', type: 'ivr_hangup' }],
    [edge('start', 'hours'), edge('hours', 'bye', 'closed'), edge('bye', 'end')],
  );
  const audio = await RtpPort.open({ law: 'PCMA' });
  audio.sendTone(CUSTOMER_HZ);
  const sipp = startSipp({ scenario: 'caller', server: t.sip, number, keys: audioKeys(audio, 'PCMA') });
  await hearsTone(audio, CLOSED_HZ, 5000);
  await sipp.done;
  audio.close();
  const { callId } = await newestCall(t);
  const { ended } = await lifeOf(t, callId);
  expect(ended).toMatchObject({
    channelRef: 'after-hours',
    terminationReason: 'NO_ANSWER',
    terminatedBy: 'SYSTEM',
    answeredAt: null,
    durations: { call: 0 },
  });
  expect((await detailOf(callId)).ivrSessions).toMatchObject([{ completed: true, outcome: 'HANGUP' }]);
});

test('a flow for the time when all agents are offline answers only then; otherwise the call goes to the queue', async () => {
  const number = await line(t, 'shared', { inbound_queue_ref: 'sales' });
  await putFlow('shared', [start, goodbye()], [edge('start', 'bye')], {
    trigger_condition: 'ALL_AGENTS_OFFLINE',
  });
  await ada.send('availability:set', { status: 'OFFLINE' });
  const closed = await dial(customersOf(t, 'SIP'), number);
  await hearsTone(closed.audio, CLOSED_HZ, 2000);
  await hearsTone(closed.audio, MUSIC_HZ, 3000);
  await closed.hangUp();
  const first = await lifeOf(t, (await newestCall(t)).callId);
  expect(first.ended).toMatchObject({ terminationReason: 'CANCELLED', terminatedBy: 'CUSTOMER' });
  await ada.available();
  const phone = await t.phone();
  const open = await phone.call(number, t.sip);
  await ada.incoming();
  await open.rings();
  expect(open.state).toBe('ringing');
  await open.hangUp();
  const second = await lifeOf(t, (await newestCall(t)).callId);
  expect((await detailOf(second.ended.callId)).ivrSessions).toEqual([]);
});
