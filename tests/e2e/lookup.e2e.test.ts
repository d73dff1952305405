/** The lookup hook of a running system: agents see its data, callers that it blocks ring no agent, and a failing hook has no effect. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { TestStack } from '@clarion/testkit/stack/stack';
import type { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import { LookupHook } from '@clarion/testkit/peers/lookup-hook';
import { endLiveCalls, isOf, lifeOf, newestCall, openCallCentre } from '@clarion/testkit/stack/call-centre';
import type { CallCentreFixture } from '@clarion/testkit/stack/call-centre';

/** The hook's limit is 1.5 s (docs/requirements.md#limits); the call must ring soon after, and long before a hook of ten seconds replies. */
const RINGS_WITHIN_MS = 4_000;

let t: TestStack;
let shop: CallCentreFixture;
let hook: LookupHook;
let ada: ScriptedAgent;

const putWebhook = (lookupUrl: string | undefined) =>
  t.v1.ok('PUT', '/v1/webhook', { url: t.webhooks.url, lookup_url: lookupUrl });

beforeAll(async () => {
  t = await TestStack.share();
  shop = await openCallCentre(t);
  hook = await LookupHook.start();
  hook.secret = t.account.webhookSecret;
  await putWebhook(hook.url);
  ada = await t.agent('ada');
  await ada.available();
});
afterEach(async () => {
  await endLiveCalls(t);
});
afterAll(async () => {
  ada?.close();
  await hook?.close();
  await t?.stop();
});

async function dial(from: string) {
  const phone = await t.phone();
  return phone.call(shop.main, t.sip, { from });
}

test('its name and external ref are sent to the agent and are in every later event', async () => {
  hook.respondWith({ name: 'Jo Doe', external_ref: 'crm-7' });
  const call = await dial('441632960011');
  const incoming = await ada.incoming();
  expect(incoming).toMatchObject({ customer: { name: 'Jo Doe' }, externalRef: 'crm-7' });
  expect(await hook.askedAbout(incoming.callId)).toMatchObject({
    signatureValid: true,
    question: {
      tenant_ref: 'shop',
      caller: { address: '+441632960011', address_type: 'E164' },
      channel_ref: 'main',
      called: shop.main,
    },
  });
  await call.hangUp();
  const { created, ended } = await lifeOf(t, incoming.callId);
  expect(created).toMatchObject({ externalRef: null });
  expect(ended).toMatchObject({
    customer: { name: 'Jo Doe' },
    externalRef: 'crm-7',
    terminationReason: 'CANCELLED',
  });
});

test('a caller that it blocks gets 603 and rings no agent', async () => {
  hook.respondWith({ action: 'reject' });
  const call = await dial('441632960012');
  expect(await call.ended()).toMatchObject({ how: 'refused', status: 603 });
  const { callId } = await newestCall(t);
  const { events, ended } = await lifeOf(t, callId);
  expect(ended).toMatchObject({ terminationReason: 'REJECTED', terminatedBy: 'SYSTEM', ringingAt: null });
  expect(events.map(({ event_type }) => event_type)).toEqual(['call.created', 'call.ended']);
});

test.each([
  ['takes ten seconds', () => (hook.answer = { body: '{"name":"Late"}', afterMs: 10_000 })],
  ['is down', () => putWebhook('http://127.0.0.1:9/lookup')],
])('a hook that %s has no effect: the call rings', async (_, spoil) => {
  await spoil();
  const began = performance.now();
  const call = await dial('441632960013');
  const { callId, customer } = await ada.incoming();
  expect(performance.now() - began).toBeLessThan(RINGS_WITHIN_MS);
  expect(customer.name).not.toBe('Late');
  const leg = await ada.accept(callId);
  await call.answered();
  leg.silence();
  await t.webhooks.waitFor(isOf(callId, 'call.answered'));
  await call.hangUp();
  expect((await lifeOf(t, callId)).ended).toMatchObject({
    terminationReason: 'COMPLETED',
    externalRef: null,
  });
});
