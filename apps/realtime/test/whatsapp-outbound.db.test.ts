/** Calls to WhatsApp customers, against the simulator of Meta. */
import { acceptWhatsAppWebhook } from '@clarion/core/whatsapp/accept-webhook';
import { opaqueOf } from '@clarion/core/whatsapp/opaque';
import { bindConnected, claimConnect } from '@clarion/core/whatsapp/whatsapp-call';
import type { Agent, Call, Channel } from '@clarion/db';
import type { GraphFaultEffect } from '@clarion/meta-simulator';
import { sdpOfFakeLeg } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Realtime } from '../src/server.ts';
import type { AppSocket } from './app-socket.ts';
import { WhatsAppScene } from './whatsapp-scene.ts';

const NO_PERMISSION = 138_006;
const RING_MS = 60_000;

let scene: WhatsAppScene;
let fixture: WhatsAppScene['fixture'];
let node: Realtime & { url: string };
let media: FakeMedia;
let agent: Agent;
let app: AppSocket;
let counter = 0;

beforeAll(async () => {
  scene = await WhatsAppScene.open();
  ({ fixture } = scene);
  node = await scene.startNode();
  media = await fixture.media([node]);
});
afterAll(() => scene.close());
beforeEach(async () => {
  agent = await fixture.agent(`caller-${++counter}`);
  app = await fixture.app(node, agent.ref);
});
afterEach(() => {
  app.close();
  scene.meta.control.clearGraphFaults();
  scene.meta.control.clearWebhookFaults();
});

const start = ({ id: callId }: Pick<Call, 'id'>) => app.ask('call:start', { callId, sdpOffer: 'offer' });

/** The customer's phone rings. */
async function ringing(behaviour: Parameters<WhatsAppScene['customer']>[0] = {}) {
  const customer = scene.customer(behaviour);
  const call = await scene.intent(agent, await scene.line(), customer);
  await start(call);
  const placed = await scene.placedTo(customer);
  await scene.reaches(placed, 'ringing');
  return { callId: call.id, customer, placed };
}

/** Connect requests of our call that this fault affects. */
async function startedWith(fault: GraphFaultEffect) {
  const customer = scene.customer();
  const call = await scene.intent(agent, await scene.line(), customer);
  const before = scene.lastSeq;
  scene.meta.control.addGraphFault({ ...fault, on: 'connect', times: null });
  await start(call);
  return { callId: call.id, customer, before };
}

describe('a call to a customer', () => {
  test('rings, is answered, and is terminated when the agent hangs up', async () => {
    const { callId, placed } = await ringing();
    await media.command('whatsapp:remote', callId);
    const { legId } = await media.command('agent:connect', callId);
    await media.hears(callId, legId, ([heard]) => heard?.kind === 'tone');
    scene.meta.control.answer(placed.id);
    await app.next('call:updated', ({ call }) => call.state === 'active');
    await app.ask('call:dtmf', { callId, digits: '12#' });
    expect(await media.command('leg:dtmf', callId)).toMatchObject({ digits: '12#' });
    await app.ask('call:hangup', { callId });
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'AGENT',
    });
    expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business', violations: [] });
    await media.released(callId);
    expect(await fixture.eventsOf(callId)).toEqual([
      'call.created',
      'call.ringing',
      'call.answered',
      'call.ended',
    ]);
  });

  test('the customer hangs up: COMPLETED by CUSTOMER, and nothing is requested from Meta', async () => {
    const { callId, placed } = await ringing({ onCall: 'answer' });
    await app.next('call:updated', ({ call }) => call.state === 'active');
    const before = scene.lastSeq;
    scene.meta.control.hangUp(placed.id);
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'CUSTOMER',
    });
    await media.released(callId);
    expect(scene.requests('terminate', before)).toBe(0);
  });

  test('a customer who answers and hangs up before the audio is connected was answered', async () => {
    const { onOpen } = media.behaviour;
    media.behaviour.onOpen = () => undefined;
    const { callId, placed } = await ringing({ onCall: 'answer' });
    await media.command('whatsapp:open', callId);
    scene.meta.control.hangUp(placed.id);
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'CUSTOMER',
    });
    expect(await fixture.eventsOf(callId)).toContain('call.answered');
    media.behaviour.onOpen = onOpen;
  });

  test('the customer declines: REJECTED by CUSTOMER', async () => {
    const { callId } = await ringing({ onCall: 'decline' });
    expect(await fixture.ended(callId)).toMatchObject({
      status: 'TERMINATED',
      terminationReason: 'REJECTED',
      terminatedBy: 'CUSTOMER',
    });
    await media.released(callId);
  });

  test('the customer does not answer: NO_ANSWER by CUSTOMER', async () => {
    const { callId } = await ringing();
    scene.meta.control.advance(RING_MS);
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'NO_ANSWER',
      terminatedBy: 'CUSTOMER',
    });
  });

  test('an end that Meta never reports: the call ends at its own deadline, and is terminated at Meta', async () => {
    const { callId, placed } = await ringing();
    await fixture.until(async () => {
      const moved = await fixture.db.$executeRaw`update "LiveCall" set "nextDeadlineAt" = now(),
        "state" = jsonb_set("state", '{giveUpAt}', '0')
        where "callId" = ${callId} and "state"->>'progress' = 'ringing'`;
      return moved === 1 || undefined;
    }, 'the call to ring');
    expect(await fixture.ended(callId)).toMatchObject({ terminationReason: 'NO_ANSWER' });
    expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business' });
  });

  test('the agent hangs up while it rings: it is terminated at Meta', async () => {
    const { callId, placed } = await ringing();
    await app.ask('call:hangup', { callId });
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'AGENT',
    });
    expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business' });
  });

  test('webhooks that arrive twice and in the wrong order are one answered call', async () => {
    const { control } = scene.meta;
    control.addWebhookFault({
      kind: 'reorder',
      events: ['ringing'],
      times: 1,
      behind: 'accepted',
      maxHoldMs: 5_000,
    });
    control.addWebhookFault({ kind: 'duplicate', events: ['accepted'], times: 1, copies: 2, gapMs: 1 });
    const { callId } = await ringing({ onCall: 'answer' });
    await app.next('call:updated', ({ call }) => call.state === 'active');
    await app.ask('call:hangup', { callId });
    await fixture.ended(callId);
    expect(await fixture.eventsOf(callId)).toEqual([
      'call.created',
      'call.ringing',
      'call.answered',
      'call.ended',
    ]);
  });
});

describe('a request that Meta does not carry out', () => {
  test('without the permission of the customer: FAILED with the code of Meta', async () => {
    const customer = scene.customer();
    const call = await scene.intent(agent, await scene.line(), customer, false);
    await start(call);
    expect(await fixture.ended(call.id)).toMatchObject({
      status: 'FAILED',
      terminationReason: 'PROVIDER_TRIGGER_FAILED',
      terminatedBy: 'PROVIDER',
      failureDetails: { providerCode: NO_PERMISSION },
    });
    await media.released(call.id);
    expect(await fixture.agentRow(agent.id)).toMatchObject({ currentCallId: null });
  });

  test.each<[string, GraphFaultEffect]>([
    ['a server error', { kind: 'http', status: 502, body: '<html>bad gateway</html>' }],
    ['an error of Meta', { kind: 'error', code: 131_000 }],
  ])('%s: FAILED, requested once', async (_, fault) => {
    const { callId, before } = await startedWith(fault);
    expect(await fixture.ended(callId)).toMatchObject({
      status: 'FAILED',
      terminationReason: 'PROVIDER_TRIGGER_FAILED',
    });
    expect(scene.requests('connect', before)).toBeLessThanOrEqual(1);
  });

  test('a line without an access token: FAILED, and nothing is requested', async () => {
    const line = await scene.line({ credentialsSealed: null });
    const call = await scene.intent(agent, line, scene.customer());
    await start(call);
    const ended = await fixture.ended(call.id);
    expect(ended).toMatchObject({ status: 'FAILED', terminationReason: 'PROVIDER_TRIGGER_FAILED' });
    expect(JSON.stringify(ended.failureDetails)).toContain('access token');
    await media.released(call.id);
  });
});

describe('a request whose response is unknown', () => {
  test.each<[string, GraphFaultEffect]>([
    ['is lost', { kind: 'lost_response' }],
    ['is malformed', { kind: 'malformed' }],
  ])('the response %s: the call fails, and is terminated as soon as a webhook names it', async (_, fault) => {
    const { callId, customer, before } = await startedWith(fault);
    expect(await fixture.ended(callId)).toMatchObject({
      status: 'FAILED',
      terminationReason: 'PROVIDER_TRIGGER_FAILED',
      terminatedBy: 'SYSTEM',
    });
    const placed = await scene.placedTo(customer);
    expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business' });
    expect(scene.requests('connect', before)).toBe(1);
  });

  test('the agent hangs up before the response: the call is terminated when its ID is known', async () => {
    const { callId, customer } = await startedWith({ kind: 'slow', delayMs: 300 });
    await fixture.until(
      async () => (await fixture.db.whatsAppCall.findUnique({ where: { callId } })) ?? undefined,
      'the request',
    );
    await app.ask('call:hangup', { callId });
    expect(await fixture.ended(callId)).toMatchObject({ terminationReason: 'CANCELLED' });
    const placed = await scene.placedTo(customer);
    expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business' });
  });
});

/** Concurrent, because each waits until the request is given up. Their faults apply to lines of their own. */
describe.concurrent('a request without a response', () => {
  async function started(customer: string) {
    const caller = await fixture.agent(`caller-${++counter}`);
    const own = await fixture.app(node, caller.ref);
    const line = await scene.line();
    const phoneNumberId = line.providerAccountId ?? '';
    const { id: callId } = await scene.intent(caller, line, customer);
    scene.meta.control.addGraphFault({ kind: 'timeout', on: 'connect', times: 1, phoneNumberId });
    await own.ask('call:start', { callId, sdpOffer: 'offer' });
    const isUsed = () =>
      !scene.meta.control.graphFaults().some((each) => each.phoneNumberId === phoneNumberId);
    return { app: own, callId, line, isUsed };
  }

  test('a call that Meta placed without responding continues', async () => {
    const customer = scene.customer({ onCall: 'answer' });
    const { app: own, callId, line, isUsed } = await started(customer);
    const sdpOffer = await offered(callId);
    await fixture.until(
      async () => (await fixture.db.whatsAppCall.findUnique({ where: { callId } })) ?? undefined,
      'the request',
    );
    // The request without a response takes the fault first.
    await fixture.until(async () => isUsed() || undefined, 'the fault');
    await connectAtMeta(line, { to: customer, sdpOffer, opaque: opaqueOf(callId) });
    await own.next('call:updated', ({ call }) => call.state === 'active');
    const metrics = async () => (await fetch(`http://127.0.0.1:${node.metricsPort}/metrics`)).text();
    await fixture.until(
      async () => (await metrics()).includes('action="connect",result="timeout"') || undefined,
      'the end of the request',
    );
    await own.ask('call:hangup', { callId });
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'AGENT',
    });
  });

  test('the call fails after eight seconds', async () => {
    const { callId } = await started(scene.customer());
    expect(await fixture.ended(callId)).toMatchObject({
      status: 'FAILED',
      terminationReason: 'PROVIDER_TRIGGER_FAILED',
      terminatedBy: 'SYSTEM',
    });
  });
});

describe('a process that died after it claimed the request', () => {
  /** The claim of the process that died. */
  const claimedCall = async (line: Channel, customer: string, createdAt = new Date()) => {
    const call = await scene.intent(agent, line, customer);
    await claimConnect(fixture.db, line.id, call.id);
    await fixture.db.whatsAppCall.update({ where: { callId: call.id }, data: { createdAt } });
    return call;
  };

  test('the customer is not called again, and the call ends with the reason', async () => {
    const before = scene.lastSeq;
    const call = await claimedCall(await scene.line(), scene.customer(), new Date(0));
    await start(call);
    const ended = await fixture.ended(call.id);
    expect(ended).toMatchObject({ status: 'FAILED', terminationReason: 'PROVIDER_TRIGGER_FAILED' });
    expect(JSON.stringify(ended.failureDetails)).toContain('interrupted');
    expect(scene.requests('connect', before)).toBe(0);
  });

  test('a call that Meta placed continues when its webhook names it', async () => {
    const line = await scene.line();
    const customer = scene.customer({ onCall: 'answer' });
    const call = await claimedCall(line, customer);
    await start(call);
    const sdpOffer = await offered(call.id);
    await connectAtMeta(line, { to: customer, sdpOffer, opaque: opaqueOf(call.id) });
    await app.next('call:updated', ({ call: updated }) => updated.state === 'active');
    await app.ask('call:hangup', { callId: call.id });
    const placed = await scene.placedTo(customer);
    expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business' });
  });

  test('a webhook that does not name the call waits until the response does', async () => {
    const line = await scene.line();
    const call = await claimedCall(line, scene.customer());
    await start(call);
    await offered(call.id);
    const whatsAppCallId = `wacid.unnamed-${call.id}`;
    const session = { sdp_type: 'answer', sdp: 'v=0' };
    const connect = { id: whatsAppCallId, event: 'connect', direction: 'BUSINESS_INITIATED', session };
    const value = { metadata: { phone_number_id: line.providerAccountId }, calls: [connect] };
    const webhook = { entry: [{ changes: [{ field: 'calls', value }] }] };
    await acceptWhatsAppWebhook({ db: fixture.db, now: new Date() }, webhook, null);
    await bindConnected(fixture.db, call.id, whatsAppCallId);
    expect(await media.command('whatsapp:remote', call.id)).toMatchObject({ sdpAnswer: 'v=0' });
    await app.ask('call:hangup', { callId: call.id });
    await fixture.ended(call.id);
  });
});

/** The SDP offer of the customer's leg, once media has created it. */
async function offered(callId: number): Promise<string> {
  const { legId } = await media.command('whatsapp:offer', callId);
  return sdpOfFakeLeg('actpass', legId);
}

/** What the process that died had requested. */
async function connectAtMeta(
  line: Channel,
  { to, sdpOffer, opaque }: { to: string; sdpOffer: string; opaque: string },
): Promise<void> {
  const response = await fetch(`${scene.meta.url}/v23.0/${line.providerAccountId}/calls`, {
    method: 'POST',
    headers: { authorization: `Bearer ${scene.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      messaging_product: 'whatsapp',
      to,
      action: 'connect',
      session: { sdp_type: 'offer', sdp: sdpOffer },
      biz_opaque_callback_data: opaque,
    }),
  });
  expect(response.status).toBe(200);
}
