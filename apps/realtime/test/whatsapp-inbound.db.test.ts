/** Calls of WhatsApp customers, against the simulator of Meta. */
import { acceptWhatsAppWebhook } from '@clarion/core/whatsapp/accept-webhook';
import type { Channel } from '@clarion/db';
import { legEndOf, legStatsOf, unanswerableOffer } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Realtime } from '../src/server.ts';
import { WhatsAppScene } from './whatsapp-scene.ts';

/** Customers whom the simulator does not know. */
const FIRST_STRANGER = 15_559_990_000;
const STALE_MS = 61_000;

let scene: WhatsAppScene;
let fixture: WhatsAppScene['fixture'];
let node: Realtime & { url: string };
let media: FakeMedia;
let counter = 0;

beforeAll(async () => {
  scene = await WhatsAppScene.open();
  ({ fixture } = scene);
  node = await scene.startNode();
  media = await fixture.media([node]);
});
afterAll(() => scene.close());
afterEach(() => {
  scene.meta.control.clearGraphFaults();
  scene.meta.control.clearWebhookFaults();
});

const queueLine = async () => {
  const agent = await fixture.agent(`agent-${++counter}`, { shift: 'AVAILABLE' });
  const queue = await fixture.queue([agent]);
  return { agent, line: await scene.line({ inboundQueueId: queue.id }) };
};
const ownedLine = async (data: Parameters<WhatsAppScene['line']>[0] = {}) => {
  const owner = await fixture.agent(`owner-${++counter}`);
  return { owner, line: await scene.line({ ownerAgentId: owner.id, ...data }) };
};

describe('a shared line', () => {
  test('accepts the call at once, opens audio after that, and an agent talks to the customer', async () => {
    const { agent, line } = await queueLine();
    const app = await fixture.app(node, agent.ref);
    const placed = await scene.ring(line);
    await scene.reaches(placed, 'accepted');
    const { callId } = (await app.next('call:incoming')).call;
    const { legId } = await media.command('whatsapp:open', callId);
    expect((await media.command('whatsapp:answer', callId)).legId).toBe(legId);
    await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    media.statsOf = () => legStatsOf({ codec: 'opus' });
    await app.ask('call:hangup', { callId });
    expect(await fixture.ended(callId)).toMatchObject({
      channelType: 'WHATSAPP',
      customerAddressType: 'WHATSAPP_USER',
      customerName: 'Ana',
      terminationReason: 'COMPLETED',
      terminatedBy: 'AGENT',
    });
    expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business', violations: [] });
    await media.released(callId);
    media.statsOf = () => null;
    await fixture.until(async () => {
      const leg = await fixture.db.callLeg.findFirst({ where: { callId, type: 'CUSTOMER' } });
      return JSON.stringify(leg?.stats).includes('receivedPackets') || undefined;
    }, 'the figures of the leg that outlived its call');
    app.close();
  });

  test('hears of the customer who hangs up while waiting, and requests nothing more from Meta', async () => {
    const line = await scene.line({ inboundQueueId: (await fixture.queue([])).id });
    const placed = await scene.ring(line);
    const { id: callId } = await scene.callOf(placed);
    await media.command('whatsapp:open', callId);
    const before = scene.lastSeq;
    scene.meta.control.hangUp(placed.id);
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CUSTOMER',
    });
    await media.released(callId);
    expect(scene.requests('terminate', before) + scene.requests('reject', before)).toBe(0);
  });

  test('keeps the answered call when webhooks arrive twice, in batches and out of order', async () => {
    const { agent, line } = await queueLine();
    const app = await fixture.app(node, agent.ref);
    const { control } = scene.meta;
    control.addWebhookFault({
      kind: 'duplicate',
      events: ['connect', 'terminate'],
      times: 2,
      copies: 2,
      gapMs: 1,
    });
    const placed = await scene.ring(line);
    const { callId } = (await app.next('call:incoming')).call;
    await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    control.hangUp(placed.id);
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'CUSTOMER',
    });
    expect(await fixture.db.call.count({ where: { customerAddress: `+${placed.customer}` } })).toBe(1);
    expect(await fixture.eventsOf(callId)).toEqual([
      'call.created',
      'call.ringing',
      'call.answered',
      'call.ended',
    ]);
    app.close();
  });

  test('one webhook with the calls of several customers makes a call of each', async () => {
    const { line } = await queueLine();
    scene.meta.control.addWebhookFault({
      kind: 'batch',
      events: ['connect'],
      times: 2,
      size: 2,
      windowMs: 5_000,
      shape: 'values',
    });
    const [one, two] = [await scene.ring(line), await scene.ring(line)];
    const calls = [await scene.callOf(one), await scene.callOf(two)];
    await Promise.all([scene.reaches(one, 'accepted'), scene.reaches(two, 'accepted')]);
    for (const { id } of calls) await fixture.terminate(id);
    await Promise.all([scene.reaches(one, 'ended'), scene.reaches(two, 'ended')]);
  });

  test('media that cannot answer the offer ends the call, and it is rejected at Meta', async () => {
    const { line } = await queueLine();
    const before = scene.lastSeq;
    const customer = await strangerCalls(line, { sdp: unanswerableOffer });
    const call = await scene.callOf({ customer });
    expect(await fixture.ended(call.id)).toMatchObject({
      status: 'FAILED',
      terminationReason: 'SYSTEM_ERROR',
    });
    await scene.requested('reject', before);
    expect(scene.requests('accept', before)).toBe(0);
  });
});

describe('a personal line', () => {
  test('rings with the audio path prepared, and accepts the call when the owner does', async () => {
    const { owner, line } = await ownedLine({ ringTimeoutSeconds: 60 });
    const app = await fixture.app(node, owner.ref);
    const before = scene.lastSeq;
    const placed = await scene.ring(line);
    const incoming = await app.next('call:incoming');
    const { callId } = incoming.call;
    // WhatsApp would end a call that rings for longer.
    const { createdAt } = await scene.callOf(placed);
    expect(Date.parse(incoming.expiresAt) - createdAt.getTime()).toBeLessThanOrEqual(25_000);
    await scene.reaches(placed, 'pre_accepted');
    expect(scene.requests('accept', before)).toBe(0);
    expect(
      media.commands.some(({ command, payload }) => command === 'whatsapp:open' && payload.callId === callId),
    ).toBe(false);
    await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    await scene.reaches(placed, 'accepted');
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    scene.meta.control.hangUp(placed.id);
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'CUSTOMER',
    });
    app.close();
  });

  test('a customer who hangs up as soon as Meta has accepted the call was answered', async () => {
    const { owner, line } = await ownedLine();
    const app = await fixture.app(node, owner.ref);
    const { onOpen } = media.behaviour;
    media.behaviour.onOpen = () => undefined;
    const placed = await scene.ring(line);
    const { callId } = (await app.next('call:incoming')).call;
    await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    await scene.reaches(placed, 'accepted');
    scene.meta.control.hangUp(placed.id);
    expect(await fixture.ended(callId)).toMatchObject({
      agentId: owner.id,
      terminationReason: 'COMPLETED',
      terminatedBy: 'CUSTOMER',
    });
    expect(await fixture.eventsOf(callId)).toEqual([
      'call.created',
      'call.ringing',
      'call.answered',
      'call.ended',
    ]);
    media.behaviour.onOpen = onOpen;
    app.close();
  });

  test('the owner declines: the call is rejected at Meta', async () => {
    const { owner, line } = await ownedLine();
    const app = await fixture.app(node, owner.ref);
    const before = scene.lastSeq;
    const placed = await scene.ring(line);
    const { callId } = (await app.next('call:incoming')).call;
    await app.ask('call:decline', { callId });
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'REJECTED',
      terminatedBy: 'AGENT',
    });
    expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business' });
    await scene.requested('reject', before);
    expect(scene.requests('terminate', before)).toBe(0);
    app.close();
  });

  test('the owner does not answer: NO_ANSWER, rejected at Meta', async () => {
    const { owner, line } = await ownedLine({ ringTimeoutSeconds: 1 });
    const app = await fixture.app(node, owner.ref);
    const placed = await scene.ring(line);
    const { id } = await scene.callOf(placed);
    expect(await fixture.ended(id)).toMatchObject({ terminationReason: 'NO_ANSWER', terminatedBy: 'SYSTEM' });
    expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business', acceptedAt: null });
    app.close();
  });

  test('an owner without a device: NO_ANSWER at once, rejected at Meta', async () => {
    const { line } = await ownedLine();
    const before = scene.lastSeq;
    const placed = await scene.ring(line);
    const { id } = await scene.callOf(placed);
    expect(await fixture.ended(id)).toMatchObject({ terminationReason: 'NO_ANSWER', terminatedBy: 'SYSTEM' });
    await scene.reaches(placed, 'ended');
    await scene.requested('reject', before);
    expect(scene.requests('pre_accept', before)).toBe(0);
  });
});

describe('a call that is refused', () => {
  test('by the lookup hook is rejected at Meta', async () => {
    const { line } = await queueLine();
    const hook = await fixture.lookupHook();
    hook.answer = { body: '{"action":"reject"}' };
    const before = scene.lastSeq;
    const placed = await scene.ring(line);
    const { id } = await scene.callOf(placed);
    expect(await fixture.ended(id)).toMatchObject({ terminationReason: 'REJECTED', terminatedBy: 'SYSTEM' });
    await scene.reaches(placed, 'ended');
    await scene.requested('reject', before);
    expect(scene.requests('accept', before)).toBe(0);
    await hook.close();
    await fixture.db.consumer.update({ where: { id: fixture.consumer.id }, data: { lookupUrl: null } });
  });

  test('on a disabled line is recorded and rejected at Meta', async () => {
    const line = await scene.line({ status: 'DISABLED' });
    const placed = await scene.ring(line);
    const { id } = await scene.callOf(placed);
    expect(await fixture.ended(id)).toMatchObject({ terminationReason: 'REJECTED', terminatedBy: 'SYSTEM' });
    expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business' });
  });

  test('of a suspended account is not recorded, and is rejected at Meta', async () => {
    const { line } = await queueLine();
    const set = (status: 'ACTIVE' | 'SUSPENDED') =>
      fixture.db.consumer.update({ where: { id: fixture.consumer.id }, data: { status } });
    await set('SUSPENDED');
    const placed = await scene.ring(line);
    expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business' });
    await set('ACTIVE');
    expect(await fixture.db.call.count({ where: { customerAddress: `+${placed.customer}` } })).toBe(0);
  });
});

describe('a customer who is gone already', () => {
  test('the end arrives before the beginning: the call is recorded as missed, and rings nobody', async () => {
    const { agent, line } = await queueLine();
    const app = await fixture.app(node, agent.ref);
    const before = scene.lastSeq;
    const { control } = scene.meta;
    control.addWebhookFault({
      kind: 'reorder',
      events: ['connect'],
      times: 1,
      behind: 'terminate',
      maxHoldMs: 60_000,
    });
    const placed = await scene.ring(line);
    control.hangUp(placed.id);
    const { id } = await scene.callOf(placed);
    expect(await fixture.ended(id)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CUSTOMER',
    });
    expect(await fixture.eventsOf(id)).toEqual(['call.created', 'call.ended']);
    expect(app.received.some(({ name }) => name === 'call:incoming')).toBe(false);
    for (const action of ['pre_accept', 'accept', 'reject', 'terminate'])
      expect(scene.requests(action, before)).toBe(0);
    app.close();
  });

  test('a webhook that is delivered after a minute is a missed call', async () => {
    const { line } = await queueLine();
    const customer = await strangerCalls(line, { occurredAt: new Date(Date.now() - STALE_MS) });
    const { id } = await scene.callOf({ customer });
    expect(await fixture.ended(id)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CUSTOMER',
    });
    expect(media.legsOf(id)).toEqual([]);
  });
});

describe('accepting at Meta', () => {
  test('a call that we end while the accept request is pending is terminated, not rejected', async () => {
    const { line } = await queueLine();
    const before = scene.lastSeq;
    scene.meta.control.addGraphFault({ kind: 'slow', on: 'accept', times: 1, delayMs: 500 });
    const placed = await scene.ring(line);
    const { id: callId } = await scene.callOf(placed);
    await fixture.until(async () => (await claimed(callId)) ?? undefined, 'the accept request');
    await fixture.terminate(callId);
    expect(await fixture.ended(callId)).toMatchObject({ terminatedBy: 'CONSUMER' });
    expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business' });
    await scene.requested('terminate', before);
    expect(scene.requests('reject', before)).toBe(0);
  });

  test('a refusal ends the call with the code of Meta', async () => {
    const { line } = await queueLine();
    scene.meta.control.addGraphFault({ kind: 'error', on: 'accept', times: null, code: 138_007 });
    const placed = await scene.ring(line);
    const { id } = await scene.callOf(placed);
    expect(await fixture.ended(id)).toMatchObject({
      status: 'FAILED',
      failureDetails: { providerCode: 138_007 },
    });
    await scene.reaches(placed, 'ended');
  });

  test('a refusal because the customer has hung up is the hang-up of the customer', async () => {
    const { line } = await queueLine();
    const { control } = scene.meta;
    control.addGraphFault({ kind: 'slow', on: 'accept', times: 1, delayMs: 300 });
    control.addWebhookFault({ kind: 'late', events: ['terminate'], times: 1, delayMs: 800 });
    const placed = await scene.ring(line);
    const { id } = await scene.callOf(placed);
    await fixture.until(async () => (await claimed(id)) ?? undefined, 'the accept request');
    control.hangUp(placed.id);
    expect(await fixture.ended(id)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CUSTOMER',
    });
  });

  test('without a response the call ends, and is terminated because Meta may have accepted it', async () => {
    const { line } = await queueLine();
    scene.meta.control.addGraphFault({ kind: 'lost_response', on: 'accept', times: 1 });
    const placed = await scene.ring(line);
    const { id } = await scene.callOf(placed);
    expect(await fixture.ended(id)).toMatchObject({ status: 'FAILED', terminationReason: 'NETWORK_ERROR' });
    expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business' });
    expect(
      media.commands.some(({ command, payload }) => command === 'whatsapp:open' && payload.callId === id),
    ).toBe(false);
  });

  test('a process that died while it accepted does not accept again: the call ends with the reason', async () => {
    const { line } = await queueLine();
    const { control } = scene.meta;
    control.addGraphFault({ kind: 'timeout', on: 'accept', times: null });
    const placed = await scene.ring(line);
    const { id } = await scene.callOf(placed);
    await fixture.until(async () => (await claimed(id)) ?? undefined, 'the accept request');
    await fixture.db.whatsAppCall.update({ where: { callId: id }, data: { acceptSentAt: new Date(0) } });
    const ended = await fixture.ended(id);
    expect(ended).toMatchObject({ status: 'FAILED', terminationReason: 'NETWORK_ERROR' });
    expect(JSON.stringify(ended.failureDetails)).toContain('interrupted');
    await scene.reaches(placed, 'ended');
  });
});

test('media that loses the customer ends the call at Meta', async () => {
  const { line } = await queueLine();
  const placed = await scene.ring(line);
  const { id: callId } = await scene.callOf(placed);
  const { legId } = await media.command('whatsapp:open', callId);
  await scene.reaches(placed, 'accepted');
  media.ended(callId, legId, legEndOf('rtp-timeout'));
  expect(await fixture.ended(callId)).toMatchObject({ terminationReason: 'NETWORK_ERROR' });
  expect(await scene.reaches(placed, 'ended')).toMatchObject({ endedBy: 'business' });
});

/** When the accept request was about to be sent; undefined: not yet. */
const claimed = async (callId: number) =>
  (await fixture.db.whatsAppCall.findUnique({ where: { callId } }))?.acceptSentAt ?? undefined;

/** A webhook that does not come from the simulator. @returns the number of the customer */
async function strangerCalls(
  line: Channel,
  { sdp = 'v=0', occurredAt = new Date() }: { sdp?: string; occurredAt?: Date },
): Promise<string> {
  const from = String(FIRST_STRANGER + ++counter);
  const call = {
    id: `wacid.${from}`,
    event: 'connect',
    direction: 'USER_INITIATED',
    from,
    timestamp: String(Math.floor(occurredAt.getTime() / 1_000)),
    session: { sdp_type: 'offer', sdp },
  };
  const value = { metadata: { phone_number_id: line.providerAccountId }, calls: [call] };
  const webhook = { entry: [{ changes: [{ field: 'calls', value }] }] };
  await acceptWhatsAppWebhook({ db: fixture.db, now: new Date() }, webhook, null);
  return from;
}
