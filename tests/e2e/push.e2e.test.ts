/** Agents whose app is closed: a push notification wakes a device, which connects and has the call. */
import { hearsTone } from '@clarion/test-phone/audio/hears-tone';
import type { PushDevice } from '@clarion/testkit/peers/push-devices';
import {
  agentOf,
  endLiveCalls,
  lifeOf,
  line,
  openCallCentre,
  type CallCentreFixture,
} from '@clarion/testkit/stack/call-centre';
import { TestStack } from '@clarion/testkit/stack/stack';
import { callDetail } from '@clarion/protocol/call';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const tenant = 'shop';
const AGENT_HZ = 1000;
const CALLER_HZ = 440;

let t: TestStack;
let shop: CallCentreFixture;
let android: PushDevice;
let iphone: PushDevice;
let banner: PushDevice;
let browser: PushDevice;

beforeAll(async () => {
  t = await TestStack.share();
  shop = await openCallCentre(t, { ringTimeoutSeconds: 30 });
  await t.devices.setCredentials(t.v1);
  const ada = { tenant, agent: 'ada' };
  android = await t.devices.register(t.v1, { ...ada, deviceId: 'pixel', kind: 'ANDROID' });
  iphone = await t.devices.register(t.v1, { ...ada, deviceId: 'iphone', kind: 'IPHONE' });
  banner = await t.devices.register(t.v1, { ...ada, deviceId: 'iphone', kind: 'IPHONE_BANNER' });
  browser = await t.devices.register(t.v1, { ...ada, deviceId: 'browser', kind: 'BROWSER' });
});
beforeEach(async () => {
  // Ada begins her shift and closes the app.
  const ada = await t.agent('ada', { deviceId: 'pixel' });
  await ada.available();
  ada.close();
  await expect.poll(() => t.db.agentConnection.count({ where: { agent: agentOf(t, 'ada') } })).toBe(0);
  t.devices.simulator.reset();
});
afterEach(async () => {
  t.release();
  await endLiveCalls(t);
});
afterAll(() => t?.stop());

const dial = async (number: string) => (await t.phone()).call(number, t.sip);

describe('a call to a queue whose only agent has closed their app', () => {
  test('wakes every device, is accepted by one, both sides hear each other, and the others stop ringing', async () => {
    const caller = await dial(shop.main);
    const incoming = await android.received();
    expect(incoming).toMatchObject({
      type: 'call.incoming',
      tenantRef: tenant,
      agentRef: 'ada',
      channelRef: 'main',
      assignmentType: 'QUEUE',
    });
    expect(await iphone.received()).toMatchObject({ type: 'call.incoming' });
    expect(await browser.received()).toMatchObject({ type: 'call.incoming' });

    const ada = await t.agent('ada', { deviceId: 'pixel' });
    expect(ada.session?.calls).toMatchObject([{ callId: Number(incoming.callId), state: 'incoming' }]);
    const leg = await ada.accept(Number(incoming.callId));
    leg.sendTone(AGENT_HZ);
    await caller.answered();
    caller.audio.sendTone(CALLER_HZ);
    await hearsTone(caller.audio, AGENT_HZ);
    await hearsTone(leg, CALLER_HZ);

    expect(await browser.received(2)).toMatchObject({
      type: 'call.withdrawn',
      reason: 'ANSWERED_ELSEWHERE',
    });
    // iOS ends apps that receive a VoIP push without a new call, and the device that answered has its socket.
    expect([android.count(), iphone.count(), banner.count()]).toEqual([1, 1, 0]);
    await caller.hangUp();
    const { ended } = await lifeOf(t, Number(incoming.callId));
    expect(ended).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'CUSTOMER',
      agentRef: 'ada',
    });
    const { events } = callDetail.parse(await t.v1.ok('GET', `/v1/calls/${incoming.callId}`));
    expect(events.filter(({ type }) => type === 'PUSHED').length).toBeGreaterThanOrEqual(3);
  });

  test('is declined by a woken device, and waits', async () => {
    const caller = await dial(shop.main);
    const incoming = await iphone.received();
    const ada = await t.agent('ada', { deviceId: 'iphone' });
    await ada.send('call:decline', { callId: Number(incoming.callId) });
    expect(await android.received(2)).toMatchObject({ type: 'call.withdrawn', reason: 'DECLINED' });
    expect(caller.state).not.toBe('ended');
    await caller.hangUp();
    await lifeOf(t, Number(incoming.callId));
  });

  test('two devices wake, and the first to accept has it', async () => {
    const caller = await dial(shop.main);
    const { callId } = await android.received();
    const [pixel, phone] = await Promise.all([
      t.agent('ada', { deviceId: 'pixel' }),
      t.agent('ada', { deviceId: 'iphone' }),
    ]);
    const leg = await pixel.accept(Number(callId));
    leg.sendTone(AGENT_HZ);
    await caller.answered();
    const { payload } = await phone.waitFor(({ event }) => event === 'call:withdrawn');
    expect(payload.reason).toBe('ANSWERED_ELSEWHERE');
    await expect(phone.accept(Number(callId))).rejects.toMatchObject({ code: 'invalid_state' });
    await caller.hangUp();
    await lifeOf(t, Number(callId));
  });

  test('whose caller hangs up before a device has woken is over when it connects', async () => {
    const caller = await dial(shop.main);
    const { callId } = await android.received();
    await caller.hangUp();
    expect(await android.received(2)).toMatchObject({ type: 'call.withdrawn', reason: 'CANCELLED' });
    const ada = await t.agent('ada', { deviceId: 'pixel' });
    expect(ada.session?.calls).toEqual([]);
    await expect(ada.accept(Number(callId))).rejects.toMatchObject({ code: 'call_ended' });
    await lifeOf(t, Number(callId));
  });
});

describe('a call to the personal line of an owner who has closed their app', () => {
  let own: string;
  beforeAll(async () => {
    own = await line(t, 'own', { owner_agent_ref: 'ada', ring_timeout_seconds: 5 });
  });

  test('rings for its whole time, ends with NO_ANSWER, is shown as missed, and is over for who wakes too late', async () => {
    const caller = await dial(own);
    const incoming = await iphone.received();
    expect(incoming).toMatchObject({ type: 'call.incoming', assignmentType: 'DIRECT', channelRef: 'own' });
    expect(await caller.ended()).toMatchObject({ how: 'refused', status: 480 });
    const { ended } = await lifeOf(t, Number(incoming.callId));
    expect(ended).toMatchObject({ terminationReason: 'NO_ANSWER', terminatedBy: 'SYSTEM' });
    expect(await android.received(2)).toMatchObject({ type: 'call.withdrawn', reason: 'TIMEOUT' });
    expect(await banner.received()).toMatchObject({ type: 'call.missed', callId: incoming.callId });
    expect(iphone.count()).toBe(1);
    // A device that wakes now is told at once.
    const late = await t.agent('ada', { deviceId: 'iphone' });
    expect(late.session?.calls).toEqual([]);
    await expect(late.accept(Number(incoming.callId))).rejects.toMatchObject({ code: 'call_ended' });
  });

  test('ends at once when no device can be woken any more', async () => {
    await t.v1.ok('PUT', `/v1/tenants/${tenant}/agents/bob`, { name: 'Bob' });
    const bobs = await line(t, 'bobs', { owner_agent_ref: 'bob', ring_timeout_seconds: 5 });
    const bob = { tenant, agent: 'bob', deviceId: 'phone' };
    const phone = await t.devices.register(t.v1, { ...bob, kind: 'IPHONE' });
    t.devices.simulator.apns.setRegistered(phone.token, false);
    const first = await dial(bobs);
    await expect
      .poll(() => t.db.agent.findFirst({ where: agentOf(t, 'bob'), select: { wakeable: true } }))
      .toEqual({ wakeable: false });
    await first.hangUp();
    const second = await dial(bobs);
    expect(await second.ended()).toMatchObject({ how: 'refused', status: 480 });
    expect(second.log).not.toContain(180);

    const again = await t.devices.register(t.v1, { ...bob, kind: 'IPHONE' });
    await dial(bobs);
    expect(await again.received()).toMatchObject({ type: 'call.incoming', agentRef: 'bob' });
  });
});
