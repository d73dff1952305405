/** Processes and agents fail at the worst moments, and every call ends exactly once with the right result. `faults` covers calls that continue. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestStack } from '@clarion/testkit/stack/stack';
import { type ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import { channels, customersOf, type Customers } from '@clarion/testkit/peers/customers';
import type { FarCall } from '@clarion/testkit/peers/far-call';
import { type WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { hearsTone } from '@clarion/test-phone/audio/hears-tone';
import {
  endLiveCalls,
  intend,
  lifeOf,
  openCallCentre,
  type CallCentreFixture,
} from '@clarion/testkit/stack/call-centre';

const CUSTOMER_HZ = 440;
const AGENT_HZ = 1000;
/** After a restart, in which the answer may be left to a sweep. */
const FOUND_WITHIN_MS = 5_000;

let t: TestStack;
let shop: CallCentreFixture;
let ada: ScriptedAgent;

beforeAll(async () => {
  t = await TestStack.boot();
  shop = await openCallCentre(t);
});
beforeEach(async () => {
  ada = await t.agent('ada', { reconnect: true });
  await ada.available();
});
afterEach(async () => {
  t.release();
  await endLiveCalls(t);
});
afterAll(() => t?.stop());

interface Conversation {
  call: FarCall;
  leg: WebRtcLeg;
  callId: number;
  /** Milliseconds since the epoch. */
  since: number;
}

async function conversation(customers: Customers, number: string): Promise<Conversation> {
  const call = await customers.call(number);
  const { callId } = await ada.incoming();
  const leg = await ada.accept(callId);
  await call.answered();
  const since = Date.now();
  call.audio.sendTone(CUSTOMER_HZ);
  leg.sendTone(AGENT_HZ);
  await Promise.all([hearsTone(call.audio, AGENT_HZ), hearsTone(leg, CUSTOMER_HZ)]);
  return { call, leg, callId, since };
}

/** The customer hangs up, or has done so at `endedAt`. */
async function expectCompleted({ callId, call, since }: Conversation, endedAt = Date.now()): Promise<void> {
  await call.hangUp();
  const { ended, answered } = await lifeOf(t, callId, 30_000);
  expect(ended).toMatchObject({
    status: 'TERMINATED',
    terminationReason: 'COMPLETED',
    terminatedBy: 'CUSTOMER',
  });
  expect(answered).not.toBeNull();
  expect(Math.abs(ended.durations.call - (endedAt - since) / 1000)).toBeLessThanOrEqual(2);
  await expectIdle();
}

/** The agent has no call, and so can take the next one. */
const expectIdle = () =>
  expect
    .poll(async () => {
      await ada.send('resync', {}).catch(() => undefined); // while the agent reconnects
      return ada.session?.calls;
    })
    .toEqual([]);

const mediaIsReady = () =>
  expect
    .poll(async () => (await (await fetch(`http://127.0.0.1:${t.stack.ports.media}/readyz`)).json()).ok)
    .not.toBe(false);

describe.each(channels)('a customer on %s', (channel) => {
  let customers: Customers;
  let main: string;

  beforeAll(async () => {
    customers = customersOf(t, channel);
    main = await customers.line('shared', { inbound_queue_ref: 'sales' });
  });

  test('when the customer hangs up while realtime is down, the end is reported later with the right duration', async () => {
    const talk = await conversation(customers, main);
    await sleep(2000); // long enough for a measurable duration
    await t.stack.kill('realtime', 'SIGKILL');
    await talk.call.hangUp();
    const endedAt = Date.now();
    await t.stack.waitHealthy('realtime');
    await expectCompleted(talk, endedAt);
  });

  test('when realtime is killed, the conversation continues', async () => {
    const talk = await conversation(customers, main);
    await t.stack.kill('realtime', 'SIGKILL');
    await t.stack.waitHealthy('realtime');
    await Promise.all([hearsTone(talk.call.audio, AGENT_HZ), hearsTone(talk.leg, CUSTOMER_HZ)]);
    await expectCompleted(talk);
  });

  test('when media is killed during a call, the call ends as FAILED, SYSTEM_ERROR by SYSTEM, and the next call works', async () => {
    const talk = await conversation(customers, main);
    await t.stack.kill('media', 'SIGKILL');
    const { ended } = await lifeOf(t, talk.callId, 30_000);
    expect(ended).toMatchObject({
      status: 'FAILED',
      terminationReason: 'SYSTEM_ERROR',
      terminatedBy: 'SYSTEM',
    });
    expect(await talk.call.ended()).toMatchObject({ how: 'bye-received' });
    await expectIdle();
    await t.stack.waitHealthy('media');
    await mediaIsReady();
    await expectCompleted(await conversation(customers, main));
  });

  test('when media is killed while a call rings, the call ends once and no agent keeps ringing', async () => {
    const call = await customers.call(main);
    const { callId } = await ada.incoming();
    await t.stack.kill('media', 'SIGKILL');
    const { ended } = await lifeOf(t, callId, 30_000);
    expect(ended).toMatchObject({ status: 'FAILED', terminationReason: 'SYSTEM_ERROR' });
    await ada.waitFor(({ event, payload }) => event === 'call:withdrawn' && payload.callId === callId);
    await t.stack.waitHealthy('media');
    await mediaIsReady();
    // Nothing is left at Meta.
    if (channel === 'WHATSAPP') expect(await call.ended()).toMatchObject({ how: 'bye-received' });
  });
});

test('when the SIP gateway is killed during a call, the call ends once and the next one works', async () => {
  const customers = customersOf(t, 'SIP');
  const talk = await conversation(customers, shop.main);
  await t.stack.kill('sip', 'SIGKILL');
  await t.stack.waitHealthy('sip');
  await t.stack.waitReady('media');
  await ada.hangUp(talk.callId);
  const { ended } = await lifeOf(t, talk.callId, 45_000);
  expect(ended.status).toMatch(/TERMINATED|FAILED/);
  await expectCompleted(await conversation(customers, shop.main));
});

test('when web is down while a customer on WhatsApp hangs up, the call ends once', async () => {
  const customers = customersOf(t, 'WHATSAPP');
  const number = await customers.line('web-is-down', { inbound_queue_ref: 'sales' });
  const talk = await conversation(customers, number);
  await t.stack.kill('web', 'SIGKILL');
  await talk.call.hangUp();
  const endedAt = Date.now();
  await t.stack.waitHealthy('web');
  await expectCompleted(talk, endedAt);
});

test('when web is down while a customer on WhatsApp calls, the call rings once it is back', async () => {
  const customers = customersOf(t, 'WHATSAPP');
  const number = await customers.line('web-is-back', { inbound_queue_ref: 'sales' });
  await t.stack.kill('web', 'SIGKILL');
  const call = await customers.call(number);
  await t.stack.waitHealthy('web');
  const { callId } = await ada.incoming(20_000);
  await ada.accept(callId);
  await call.answered();
  await call.hangUp();
  const { ended } = await lifeOf(t, callId);
  expect(ended).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'CUSTOMER' });
});

test('when realtime is killed while a WhatsApp call rings at the customer, it keeps ringing, and is placed only once', async () => {
  const number = await customersOf(t, 'WHATSAPP').line('outbound', {});
  const customer = t.meta.addCustomer();
  customer.allow(number);
  const taken = customer.nextCall(number);
  const callId = await intend(t, 'ada', { channel: 'outbound-whatsapp', address: `+${customer.waId}` });
  const leg = await ada.start(callId);
  const call = await taken;
  await call.rings();
  await t.stack.kill('realtime', 'SIGKILL');
  await t.stack.waitHealthy('realtime');
  call.answer();
  call.audio.sendTone(CUSTOMER_HZ);
  leg.sendTone(AGENT_HZ);
  // An event of Meta that the restarted node has not been notified of is found by its sweep.
  await Promise.all([
    hearsTone(call.audio, AGENT_HZ, FOUND_WITHIN_MS),
    hearsTone(leg, CUSTOMER_HZ, FOUND_WITHIN_MS),
  ]);
  await call.hangUp();
  const { ended } = await lifeOf(t, callId, 30_000);
  expect(ended).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'CUSTOMER' });
  const placed = t.meta.simulator.control.calls().filter(({ phoneNumberId }) => phoneNumberId === number);
  expect(placed).toHaveLength(1);
});
