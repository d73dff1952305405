/** Processes and agents fail at the worst moments, and every call ends exactly once with the right result. `faults` covers calls that continue. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestStack } from '@clarion/testkit/stack/stack';
import { type ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import { customersOf, type Channel, type Customers } from '@clarion/testkit/peers/customers';
import type { FarCall } from '@clarion/testkit/peers/far-call';
import { type WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { hearsTone } from '@clarion/test-phone/audio/hears-tone';
import { endLiveCalls, intend, lifeOf, openCallCentre } from '@clarion/testkit/stack/call-centre';

const CUSTOMER_HZ = 440;
const AGENT_HZ = 1000;
/** After a restart, in which the answer may be left to a sweep. */
const FOUND_WITHIN_MS = 5_000;

/** A tenant whose customers call on one channel. */
interface Shop {
  customers: Customers;
  tenant: string;
  main: string;
}

/** Its only agent, connected anew for each test. */
interface Place extends Shop {
  ada: ScriptedAgent;
}

let t: TestStack;
let shops: Shop[];
/** A process is killed once for calls on both channels. */
let places: [onSip: Place, onWhatsApp: Place];

beforeAll(async () => {
  t = await TestStack.boot();
  shops = [await openShop('SIP'), await openShop('WHATSAPP')];
});
beforeEach(async () => {
  places = (await Promise.all(
    shops.map(async (shop) => {
      const ada = await t.agent('ada', { tenant: shop.tenant, reconnect: true });
      await ada.available();
      return { ...shop, ada };
    }),
  )) as typeof places;
});
afterEach(async () => {
  t.release();
  await Promise.all(shops.map(({ tenant }) => endLiveCalls(t, tenant)));
});
afterAll(() => t?.stop());

async function openShop(channel: Channel): Promise<Shop> {
  const tenant = `shop-${channel.toLowerCase()}`;
  const { queueRef } = await openCallCentre(t, { tenant });
  const customers = customersOf(t, channel, { tenant });
  const main = await customers.line('shared', { inbound_queue_ref: queueRef });
  return { customers, tenant, main };
}

/** On both channels at the same time. */
const onEach = <T>(work: (place: Place) => Promise<T>): Promise<T[]> => Promise.all(places.map(work));

interface Conversation {
  ada: ScriptedAgent;
  call: FarCall;
  leg: WebRtcLeg;
  callId: number;
  /** Milliseconds since the epoch. */
  since: number;
}

async function conversation({ customers, main, ada }: Place): Promise<Conversation> {
  const call = await customers.call(main);
  const { callId } = await ada.incoming();
  const leg = await ada.accept(callId);
  await call.answered();
  const since = Date.now();
  call.audio.sendTone(CUSTOMER_HZ);
  leg.sendTone(AGENT_HZ);
  await Promise.all([hearsTone(call.audio, AGENT_HZ), hearsTone(leg, CUSTOMER_HZ)]);
  return { ada, call, leg, callId, since };
}

/** The customer hangs up, or has done so at `endedAt`. */
async function expectCompleted(
  { ada, callId, call, since }: Conversation,
  endedAt = Date.now(),
): Promise<void> {
  await call.hangUp();
  const { ended, answered } = await lifeOf(t, callId, 30_000);
  expect(ended).toMatchObject({
    status: 'TERMINATED',
    terminationReason: 'COMPLETED',
    terminatedBy: 'CUSTOMER',
  });
  expect(answered).not.toBeNull();
  expect(Math.abs(ended.durations.call - (endedAt - since) / 1000)).toBeLessThanOrEqual(2);
  await expectIdle(ada);
}

/** The agent has no call, and so can take the next one. */
const expectIdle = (ada: ScriptedAgent) =>
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

test('when customers hang up while realtime is down, the end is reported later with the right duration', async () => {
  const talks = await onEach(conversation);
  await sleep(2000); // long enough for a measurable duration
  await t.stack.kill('realtime', 'SIGKILL');
  await Promise.all(talks.map(({ call }) => call.hangUp()));
  const endedAt = Date.now();
  await t.stack.waitHealthy('realtime');
  await Promise.all(talks.map((talk) => expectCompleted(talk, endedAt)));
});

test('when media is killed during calls, they end as FAILED, SYSTEM_ERROR by SYSTEM, and the next calls work', async () => {
  const talks = await onEach(conversation);
  await t.stack.kill('media', 'SIGKILL');
  await Promise.all(
    talks.map(async ({ ada, call, callId }) => {
      const { ended } = await lifeOf(t, callId, 30_000);
      expect(ended).toMatchObject({
        status: 'FAILED',
        terminationReason: 'SYSTEM_ERROR',
        terminatedBy: 'SYSTEM',
      });
      expect(await call.ended()).toMatchObject({ how: 'bye-received' });
      await expectIdle(ada);
    }),
  );
  await t.stack.waitHealthy('media');
  await mediaIsReady();
  await onEach(async (place) => expectCompleted(await conversation(place)));
});

test('when media is killed while calls ring, they end once and no agent keeps ringing', async () => {
  const ringing = await onEach(async ({ customers, main, ada }) => {
    const call = await customers.call(main);
    return { ada, call, ...(await ada.incoming()) };
  });
  await t.stack.kill('media', 'SIGKILL');
  await Promise.all(
    ringing.map(async ({ ada, callId }) => {
      const { ended } = await lifeOf(t, callId, 30_000);
      expect(ended).toMatchObject({ status: 'FAILED', terminationReason: 'SYSTEM_ERROR' });
      await ada.waitFor(({ event, payload }) => event === 'call:withdrawn' && payload.callId === callId);
    }),
  );
  await t.stack.waitHealthy('media');
  await mediaIsReady();
  // Nothing is left at Meta.
  expect(await ringing.at(-1)?.call.ended()).toMatchObject({ how: 'bye-received' });
});

test('when the SIP gateway is killed during a call, the call ends once and the next one works', async () => {
  const [onSip] = places;
  const talk = await conversation(onSip);
  await t.stack.kill('sip', 'SIGKILL');
  await t.stack.waitHealthy('sip');
  await t.stack.waitReady('media');
  await onSip.ada.hangUp(talk.callId);
  const { ended } = await lifeOf(t, talk.callId, 45_000);
  expect(ended.status).toMatch(/TERMINATED|FAILED/);
  await expectCompleted(await conversation(onSip));
});

test('when web is down while a customer on WhatsApp hangs up, the call ends once', async () => {
  const [, onWhatsApp] = places;
  const talk = await conversation(onWhatsApp);
  await t.stack.kill('web', 'SIGKILL');
  await talk.call.hangUp();
  const endedAt = Date.now();
  await t.stack.waitHealthy('web');
  await expectCompleted(talk, endedAt);
});

test('when web is down while a customer on WhatsApp calls, the call rings once it is back', async () => {
  const [, { customers, main, ada }] = places;
  await t.stack.kill('web', 'SIGKILL');
  const call = await customers.call(main);
  await t.stack.waitHealthy('web');
  const { callId } = await ada.incoming(20_000);
  await ada.accept(callId);
  await call.answered();
  await call.hangUp();
  const { ended } = await lifeOf(t, callId);
  expect(ended).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'CUSTOMER' });
});

test('when realtime is killed while a WhatsApp call rings at the customer, it keeps ringing, and is placed only once', async () => {
  const [, { customers, tenant, ada }] = places;
  const number = await customers.line('outbound', {});
  const customer = t.meta.addCustomer();
  customer.allow(number);
  const taken = customer.nextCall(number);
  const callId = await intend(t, 'ada', {
    tenant,
    channel: customers.ref('outbound'),
    address: `+${customer.waId}`,
  });
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
