/** Processes and agents fail at the worst moments, and every call ends exactly once with the right result. `faults` covers calls that continue. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestStack } from '@clarion/testkit/stack/stack';
import { type ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import { type SipCall } from '@clarion/test-phone/sip/call';
import { type WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { hearsTone } from '@clarion/test-phone/audio/hears-tone';
import {
  endLiveCalls,
  lifeOf,
  openCallCentre,
  type CallCentreFixture,
} from '@clarion/testkit/stack/call-centre';

const CUSTOMER_HZ = 440;
const AGENT_HZ = 1000;

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

async function conversation(): Promise<{ call: SipCall; leg: WebRtcLeg; callId: number }> {
  const phone = await t.phone();
  const call = await phone.call(shop.main, t.sip);
  const { callId } = await ada.incoming();
  const leg = await ada.accept(callId);
  await call.answered();
  call.audio.sendTone(CUSTOMER_HZ);
  leg.sendTone(AGENT_HZ);
  await Promise.all([hearsTone(call.audio, AGENT_HZ), hearsTone(leg, CUSTOMER_HZ)]);
  return { call, leg, callId };
}

async function expectCompleted(callId: number, call: SipCall): Promise<void> {
  const talkedSeconds = ((call.times.ended ?? 0) - (call.times.answered ?? 0)) / 1000;
  const { ended, answered } = await lifeOf(t, callId, 30_000);
  expect(ended).toMatchObject({ status: 'TERMINATED', terminationReason: 'COMPLETED' });
  expect(answered).not.toBeNull();
  expect(Math.abs(ended.durations.call - talkedSeconds)).toBeLessThanOrEqual(2);
}

test('when the customer hangs up while realtime is down, the end is reported later with the right duration', async () => {
  const talk = await conversation();
  await sleep(2000); // long enough for a measurable duration
  await t.stack.kill('realtime', 'SIGKILL');
  await talk.call.hangUp();
  await t.stack.waitHealthy('realtime');
  await expectCompleted(talk.callId, talk.call);
});

test('when media is killed during a call, the call ends as FAILED, SYSTEM_ERROR by SYSTEM, and the next call works', async () => {
  const talk = await conversation();
  await t.stack.kill('media', 'SIGKILL');
  const { ended } = await lifeOf(t, talk.callId, 30_000);
  expect(ended).toMatchObject({
    status: 'FAILED',
    terminationReason: 'SYSTEM_ERROR',
    terminatedBy: 'SYSTEM',
  });
  expect(await talk.call.ended()).toMatchObject({ how: 'bye-received' });
  await t.stack.waitHealthy('media');
  await expect
    .poll(async () => (await (await fetch(`http://127.0.0.1:${t.stack.ports.media}/readyz`)).json()).ok)
    .not.toBe(false);
  const next = await conversation();
  await next.call.hangUp();
  await expectCompleted(next.callId, next.call);
});

test('when media is killed while a call rings, the call ends once and no agent keeps ringing', async () => {
  const phone = await t.phone();
  await phone.call(shop.main, t.sip);
  const { callId } = await ada.incoming();
  await t.stack.kill('media', 'SIGKILL');
  const { ended } = await lifeOf(t, callId, 30_000);
  expect(ended).toMatchObject({ status: 'FAILED', terminationReason: 'SYSTEM_ERROR' });
  await ada.waitFor(({ event, payload }) => event === 'call:withdrawn' && payload.callId === callId);
  await t.stack.waitHealthy('media');
});

test('when the SIP gateway is killed during a call, the call ends once and the next one works', async () => {
  const talk = await conversation();
  await t.stack.kill('sip', 'SIGKILL');
  await t.stack.waitHealthy('sip');
  await t.stack.waitReady('media');
  await ada.hangUp(talk.callId);
  const { ended } = await lifeOf(t, talk.callId, 45_000);
  expect(ended.status).toMatch(/TERMINATED|FAILED/);
  const next = await conversation();
  await next.call.hangUp();
  await expectCompleted(next.callId, next.call);
});
