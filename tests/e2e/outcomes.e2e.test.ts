/** Every way a call can go, each with its reason, who ended it, what the carrier was told, and one whole life of events. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SipPhone, TestStack, type Behaviour, type ScriptedAgent, type SipCall } from '@clarion/testkit';
import {
  endLiveCalls,
  intend,
  isOf,
  lifeOf,
  line,
  newestCall,
  newNumber,
  openShop,
  type Shop,
} from '@clarion/testkit/shop';

const RING_TIMEOUT_SECONDS = 5; // the least a queue or a line may have
const CUSTOMER = '441632960123';

let t: TestStack;
let shop: Shop;
let ada: ScriptedAgent;
let bob: ScriptedAgent;

beforeAll(async () => {
  t = await TestStack.boot();
  shop = await openShop(t, {
    agents: ['ada', 'bob'],
    ringTimeoutSeconds: RING_TIMEOUT_SECONDS,
    maxWaitSeconds: 3 * RING_TIMEOUT_SECONDS,
  });
});
beforeEach(async () => {
  ada = await t.agent('ada');
  t.carrier.behaviour = { do: 'answer' };
});
afterEach(async () => {
  t.release();
  await endLiveCalls(t);
});
afterAll(() => t?.stop());

async function dialIn(number: string): Promise<SipCall> {
  const phone = await t.phone();
  return await phone.call(number, t.sip, { from: CUSTOMER });
}
const created = async () => (await newestCall(t)).callId;

describe('a call to a shared line', () => {
  test('waits while nobody is available and is offered as soon as someone is', async () => {
    await ada.send('availability:set', { status: 'OFFLINE' });
    const call = await dialIn(shop.main);
    await call.rings();
    const callId = await created();
    await ada.available();
    const offer = await ada.incoming();
    expect(offer).toMatchObject({ callId, customer: { address: `+${CUSTOMER}` }, queue: { ref: 'sales' } });
    await ada.accept(callId);
    await call.answered();
    await t.webhooks.waitFor(isOf(callId, 'call.answered'));
    await ada.hangUp(callId);
    expect(await call.ended()).toMatchObject({ how: 'bye-received' });
    const { ended } = await lifeOf(t, callId);
    expect(ended).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'AGENT',
      agentRef: 'ada',
      queueRef: 'sales',
    });
  });

  test('that one agent declines goes to the next and never back', async () => {
    bob = await t.agent('bob');
    await Promise.all([ada.available(), bob.available()]);
    const call = await dialIn(shop.main);
    const first = await Promise.race([ada.incoming().then(() => ada), bob.incoming().then(() => bob)]);
    const second = first === ada ? bob : ada;
    const { callId } = await first.incoming();
    await first.send('call:decline', { callId });
    await second.incoming();
    await second.accept(callId);
    await call.answered();
    await call.hangUp();
    const { ended } = await lifeOf(t, callId);
    expect(ended).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'CUSTOMER' });
    expect(first.received.filter(({ event }) => event === 'call:incoming')).toHaveLength(1);
  });

  test('that an agent lets ring goes to the next', async () => {
    bob = await t.agent('bob');
    await Promise.all([ada.available(), bob.available()]);
    const call = await dialIn(shop.main);
    const first = await Promise.race([ada.incoming().then(() => ada), bob.incoming().then(() => bob)]);
    const second = first === ada ? bob : ada;
    const { callId } = await second.incoming((RING_TIMEOUT_SECONDS + 4) * 1000);
    expect((await first.waitFor(({ event }) => event === 'call:withdrawn')).payload).toMatchObject({
      callId,
      reason: 'TIMEOUT',
    });
    await second.accept(callId);
    await call.answered();
    await call.hangUp();
    const { ended } = await lifeOf(t, callId);
    expect(ended.agentRef).toBe(second === ada ? 'ada' : 'bob');
  });

  test('that nobody takes within max_wait ends TIMEOUT by SYSTEM, 480 to the carrier', async () => {
    await ada.send('availability:set', { status: 'OFFLINE' });
    const call = await dialIn(shop.main);
    await call.rings();
    const callId = await created();
    expect(await call.ended((3 * RING_TIMEOUT_SECONDS + 4) * 1000)).toMatchObject({
      how: 'refused',
      status: 480,
    });
    const { ended, answered } = await lifeOf(t, callId);
    expect(ended).toMatchObject({
      status: 'TERMINATED',
      terminationReason: 'TIMEOUT',
      terminatedBy: 'SYSTEM',
    });
    expect(answered).toBeNull();
    expect(ended.durations.wait).toBeGreaterThanOrEqual(3 * RING_TIMEOUT_SECONDS - 1);
    expect(ended.durations.call).toBe(0);
  });

  test('that the caller gives up while it rings ends CANCELLED by CUSTOMER and stops ringing', async () => {
    await ada.available();
    const call = await dialIn(shop.main);
    const { callId } = await ada.incoming();
    await call.hangUp();
    expect(call.end).toMatchObject({ how: 'cancelled', status: 487 });
    expect((await ada.waitFor(({ event }) => event === 'call:withdrawn')).payload).toMatchObject({
      callId,
      reason: 'CANCELLED',
    });
    const { ended } = await lifeOf(t, callId);
    expect(ended).toMatchObject({ terminationReason: 'CANCELLED', terminatedBy: 'CUSTOMER' });
  });

  test('is ended by the consumer: CANCELLED while it rings, COMPLETED once answered, 409 when over', async () => {
    await ada.available();
    const ringing = await dialIn(shop.main);
    const offer = await ada.incoming();
    expect((await t.v1.request('POST', `/v1/calls/${offer.callId}/terminate`)).status).toBe(202);
    expect(await ringing.ended()).toMatchObject({ how: 'refused' });
    expect((await lifeOf(t, offer.callId)).ended).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CONSUMER',
    });

    const talking = await dialIn(shop.main);
    const { payload } = await ada.waitFor(
      ({ event, payload: { call } }) => event === 'call:incoming' && call?.callId !== offer.callId,
    );
    const callId = payload.call?.callId ?? 0;
    await ada.accept(callId);
    await talking.answered();
    await t.webhooks.waitFor(isOf(callId, 'call.answered'));
    expect((await t.v1.request('POST', `/v1/calls/${callId}/terminate`)).status).toBe(202);
    expect(await talking.ended()).toMatchObject({ how: 'bye-received' });
    expect((await lifeOf(t, callId)).ended).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'CONSUMER',
    });
    const again = await t.v1.request<{ error: { code: string } }>('POST', `/v1/calls/${callId}/terminate`);
    expect([again.status, again.body.error.code]).toEqual([409, 'call_ended']);
  });

  test('rings every device of the agent, and the first to accept takes it', async () => {
    const tablet = await t.agent('ada', { deviceId: 'tablet' });
    await ada.available();
    const call = await dialIn(shop.main);
    const { callId } = await ada.incoming();
    await tablet.incoming();
    await tablet.accept(callId);
    await call.answered();
    expect((await ada.waitFor(({ event }) => event === 'call:withdrawn')).payload).toMatchObject({
      callId,
      reason: 'ANSWERED_ELSEWHERE',
    });
    await tablet.hangUp(callId);
    await lifeOf(t, callId);
  });
});

describe('a call to a personal line', () => {
  let own: string;
  beforeAll(async () => {
    own = await line(t, 'own', { owner_agent_ref: 'ada', ring_timeout_seconds: RING_TIMEOUT_SECONDS });
  });

  test('rings the owner whatever their availability', async () => {
    await ada.send('availability:set', { status: 'OFFLINE' });
    const call = await dialIn(own);
    const offer = await ada.incoming();
    expect(offer.assignmentType).toBe('DIRECT');
    await ada.accept(offer.callId);
    await call.answered();
    await call.hangUp();
    expect((await lifeOf(t, offer.callId)).ended).toMatchObject({
      agentRef: 'ada',
      channelRef: 'own',
      terminatedBy: 'CUSTOMER',
    });
  });

  test('that the owner declines ends REJECTED by AGENT, 603 to the carrier', async () => {
    const call = await dialIn(own);
    const { callId } = await ada.incoming();
    await ada.send('call:decline', { callId });
    expect(await call.ended()).toMatchObject({ how: 'refused', status: 603 });
    expect((await lifeOf(t, callId)).ended).toMatchObject({
      terminationReason: 'REJECTED',
      terminatedBy: 'AGENT',
      agentRef: 'ada',
    });
  });

  test('that the owner does not answer ends NO_ANSWER by SYSTEM, 480 to the carrier', async () => {
    const call = await dialIn(own);
    const { callId } = await ada.incoming();
    expect(await call.ended((RING_TIMEOUT_SECONDS + 4) * 1000)).toMatchObject({
      how: 'refused',
      status: 480,
    });
    expect((await lifeOf(t, callId)).ended).toMatchObject({
      terminationReason: 'NO_ANSWER',
      terminatedBy: 'SYSTEM',
      agentRef: 'ada',
    });
  });

  test('while the owner talks ends BUSY, 486 to the carrier', async () => {
    const talking = await dialIn(own);
    const { callId } = await ada.incoming();
    await ada.accept(callId);
    await talking.answered();
    const second = await dialIn(own);
    expect(await second.ended()).toMatchObject({ how: 'refused', status: 486 });
    const busy = await created();
    expect((await lifeOf(t, busy)).ended).toMatchObject({
      terminationReason: 'BUSY',
      terminatedBy: 'SYSTEM',
      agentRef: 'ada',
    });
    await talking.hangUp();
    await lifeOf(t, callId);
  });

  test('without a connected device ends NO_ANSWER at once', async () => {
    ada.close();
    await expect
      .poll(
        async () =>
          (await t.v1.ok<{ agent: { connected: boolean } }>('GET', '/v1/tenants/shop/agents/ada')).agent
            .connected,
      )
      .toBe(false);
    const call = await dialIn(own);
    expect(await call.ended(2000)).toMatchObject({ how: 'refused', status: 480 });
    expect((await lifeOf(t, await created())).ended).toMatchObject({
      terminationReason: 'NO_ANSWER',
      agentRef: 'ada',
      channelRef: 'own',
    });
  });
});

describe('a call that no line takes', () => {
  test('to a line without a route ends REJECTED by SYSTEM, 603 to the carrier', async () => {
    const call = await dialIn(await line(t, 'nowhere', {}));
    expect(await call.ended()).toMatchObject({ how: 'refused', status: 603 });
    expect((await lifeOf(t, await created())).ended).toMatchObject({
      terminationReason: 'REJECTED',
      terminatedBy: 'SYSTEM',
    });
  });

  test('to a DISABLED line is refused with 480', async () => {
    const call = await dialIn(await line(t, 'closed', { inbound_queue_ref: 'sales', status: 'DISABLED' }));
    expect(await call.ended()).toMatchObject({ how: 'refused', status: 480 });
  });

  test('to an unknown number is refused with 404 and makes no call', async () => {
    const before = await created();
    const call = await dialIn(newNumber());
    expect(await call.ended()).toMatchObject({ how: 'refused', status: 404 });
    expect(await created()).toBe(before);
  });

  test('from an address that is no trunk is refused with 403 or 404', async () => {
    const phone = await t.phone({ address: '127.0.0.77' });
    const call = await phone.call(shop.main, t.sip);
    const { status } = await call.ended();
    expect([403, 404]).toContain(status);
  });
});

describe('an outbound call', () => {
  const refusals: [string, Behaviour, object][] = [
    ['busy', { do: 'refuse', status: 486 }, { terminationReason: 'REJECTED', terminatedBy: 'CUSTOMER' }],
    ['refused', { do: 'refuse', status: 603 }, { terminationReason: 'REJECTED', terminatedBy: 'CUSTOMER' }],
    [
      'not answered',
      { do: 'refuse', status: 480 },
      { terminationReason: 'NO_ANSWER', terminatedBy: 'CUSTOMER' },
    ],
    [
      'busy by Q.850',
      { do: 'refuse', status: 500, q850: 17 },
      { terminationReason: 'REJECTED', terminatedBy: 'CUSTOMER' },
    ],
    [
      'to no such number',
      { do: 'refuse', status: 404, reason: 'Not Found' },
      { status: 'FAILED', terminationReason: 'PROVIDER_ERROR', terminatedBy: 'PROVIDER' },
    ],
    [
      'forbidden by the carrier',
      { do: 'refuse', status: 403, ring: false },
      { status: 'FAILED', terminationReason: 'PROVIDER_TRIGGER_FAILED', terminatedBy: 'PROVIDER' },
    ],
    [
      'that fails at the carrier',
      { do: 'refuse', status: 503, ring: false },
      { status: 'FAILED', terminationReason: 'PROVIDER_ERROR', terminatedBy: 'PROVIDER' },
    ],
  ];
  test.each(refusals)('%s says so', async (_, behaviour, expected) => {
    t.carrier.behaviour = behaviour;
    const callId = await intend(t, 'ada');
    await ada.start(callId);
    const { ended, answered } = await lifeOf(t, callId);
    expect(ended).toMatchObject(expected);
    if (behaviour.do === 'refuse')
      expect(ended.failureDetails).toMatchObject({ sipStatus: behaviour.status });
    expect(answered).toBeNull();
  });

  test('that the agent hangs up while it rings ends CANCELLED by AGENT', async () => {
    t.carrier.behaviour = { do: 'ring' };
    const taken = t.carrier.nextCall();
    const callId = await intend(t, 'ada');
    await ada.start(callId);
    const call = await taken;
    await ada.hangUp(callId);
    expect(await call.ended()).toMatchObject({ how: 'cancel-received' });
    expect((await lifeOf(t, callId)).ended).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'AGENT',
    });
  });

  test('that is never started can be terminated: CANCELLED by CONSUMER', async () => {
    const callId = await intend(t, 'ada');
    expect((await t.v1.request('POST', `/v1/calls/${callId}/terminate`)).status).toBe(202);
    expect((await lifeOf(t, callId)).ended).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CONSUMER',
    });
  });

  test('through a carrier that is not there ends FAILED by SYSTEM', async () => {
    const gone = await SipPhone.open({ transport: 'tcp' });
    const account = await t.createAccount('stranded', gone, { transport: 'TCP' });
    gone.close();
    await openShop(t, { account, tenant: 'island', agents: ['eve'] });
    const eve = await t.agent('eve', { tenant: 'island', account });
    const { call } = await account.v1.ok<{ call: { callId: number } }>('POST', '/v1/tenants/island/calls', {
      channel_ref: 'main',
      agent_ref: 'eve',
      customer: { address: '+442079460999' },
    });
    await eve.start(call.callId);
    const { event } = await t.webhooks.waitFor(isOf(call.callId, 'call.ended'), 40_000);
    expect(event.data.call).toMatchObject({
      status: 'FAILED',
      terminationReason: 'PROVIDER_TRIGGER_FAILED',
      terminatedBy: 'SYSTEM',
    });
  });

  test('through a carrier that wants credentials is placed with them', async () => {
    const account = { realm: 'carrier', username: 'clarion', password: 'open sesame' };
    const carrier = await t.phone({ account });
    const consumer = await t.createAccount('digest', carrier, account);
    await openShop(t, { account: consumer, tenant: 'bank', agents: ['eve'] });
    const eve = await t.agent('eve', { tenant: 'bank', account: consumer });
    const { call } = await consumer.v1.ok<{ call: { callId: number } }>('POST', '/v1/tenants/bank/calls', {
      channel_ref: 'main',
      agent_ref: 'eve',
      customer: { address: '+442079460999' },
    });
    const taken = carrier.nextCall();
    await eve.start(call.callId);
    await (await taken).answered();
    await t.webhooks.waitFor(isOf(call.callId, 'call.answered'));
    await eve.hangUp(call.callId);
    const { event } = await t.webhooks.waitFor(isOf(call.callId, 'call.ended'));
    expect(event.data.call).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'AGENT' });
  });
});
