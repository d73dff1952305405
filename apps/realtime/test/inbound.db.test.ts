import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { legEndOf, legStatsOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { Agent } from '@clarion/db';
import type { Realtime } from '../src/server.ts';
import { World } from './world.ts';

let world: World;
let node: Realtime & { url: string };
let media: FakeMedia;

beforeAll(async () => {
  world = await World.create();
  node = await world.startNode();
  media = await world.media([node]);
});
afterAll(() => world.close());

/** A call to a number that media was told to take. */
const ring = (address: string) => media.ring({ requestUser: address.slice(1) });

const freeAgent = (ref: string, data = {}): Promise<Agent> =>
  world.agent(ref, { shift: 'AVAILABLE', ...data });

describe('a shared line', () => {
  test('an available agent is offered the call, answers, and hangs up', async () => {
    const anna = await freeAgent('anna');
    const queue = await world.queue([anna]);
    const line = await world.line({ inboundQueueId: queue.id });
    const app = await world.app(node, 'anna');
    const { callId, legId } = await ring(line.address);

    const incoming = await app.next('call:incoming');
    expect(incoming).toMatchObject({ assignmentType: 'QUEUE', call: { callId, state: 'incoming' } });
    expect(incoming.call.customer.address).toBe('+447700900123');

    const accepted = await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    expect(accepted).toMatchObject({ sdpAnswer: 'answer to offer', call: { state: 'active' } });
    expect(await media.command('carrier:answer', callId)).toMatchObject({ legId });
    const active = await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    expect(active.call).toMatchObject({ state: 'active', deviceId: 'device-1' });
    expect(await world.agentRow(anna.id)).toMatchObject({ currentCallId: callId, onCall: true });

    await app.ask('call:hangup', { callId });
    expect((await app.next('call:ended')).call).toMatchObject({
      state: 'ended',
      terminationReason: 'COMPLETED',
      terminatedBy: 'AGENT',
    });
    await media.released(callId);
    expect(await world.ended(callId)).toMatchObject({
      status: 'TERMINATED',
      agentRef: 'anna',
      queueRef: queue.ref,
    });
    expect(await world.eventsOf(callId)).toEqual([
      'call.created',
      'call.ringing',
      'call.answered',
      'call.ended',
    ]);
    expect(await world.agentRow(anna.id)).toMatchObject({ currentCallId: null, onCall: false });
    expect(await world.db.liveCall.count({ where: { callId } })).toBe(0);
    await world.until(
      async () => (await world.db.engineOutbox.count({ where: { callId } })) === 0 || undefined,
      'an empty outbox',
    );
    app.close();
  });

  test('the caller hangs up: COMPLETED by CUSTOMER, lasting until the moment media says', async () => {
    const bert = await freeAgent('bert');
    const line = await world.line({ inboundQueueId: (await world.queue([bert])).id });
    const app = await world.app(node, 'bert');
    const { callId, legId } = await ring(line.address);
    await app.next('call:incoming');
    await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    media.ended(callId, legId, legEndOf('remote-bye'));
    await app.next('call:ended');
    expect(await world.ended(callId)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'CUSTOMER',
    });
    app.close();
  });

  test('what media says of the legs after our own hang-up is kept, once and in silence', async () => {
    const stan = await freeAgent('stan');
    const line = await world.line({ inboundQueueId: (await world.queue([stan])).id });
    const app = await world.app(node, 'stan');
    const { callId, legId } = await ring(line.address);
    await app.next('call:incoming');
    await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    media.statsOf = (kind) => legStatsOf({ lostPackets: kind === 'agent' ? 1 : 2 });
    await app.ask('call:hangup', { callId });
    const { endedAt } = await world.ended(callId);

    const legs = () => world.db.callLeg.findMany({ where: { callId }, orderBy: { type: 'asc' } });
    const kept = await world.until(async () => {
      const rows = await legs();
      return rows.every(({ stats }) => JSON.stringify(stats).includes('lost')) ? rows : undefined;
    }, 'the figures of both legs');
    expect(kept).toMatchObject([
      { type: 'AGENT', state: 'DISCONNECTED', disconnectedAt: endedAt, stats: { lostPackets: 1 } },
      { type: 'CUSTOMER', state: 'DISCONNECTED', disconnectedAt: endedAt, stats: { lostPackets: 2 } },
    ]);

    const events = await world.eventsOf(callId);
    const at = new Date().toISOString();
    const stats = media.statsOf('carrier-in');
    await media.fact('leg:ended', { callId, legId, kind: 'carrier-in', at, end: legEndOf('local'), stats });
    expect(await legs()).toEqual(kept);
    expect(await world.eventsOf(callId)).toEqual(events);
    media.statsOf = () => null;
    app.close();
  });

  test('a declined call goes to the next agent and never back', async () => {
    const [carl, dora] = [await freeAgent('carl', { idleSince: new Date(0) }), await freeAgent('dora')];
    const line = await world.line({ inboundQueueId: (await world.queue([carl, dora])).id });
    const [carlApp, doraApp] = [await world.app(node, 'carl'), await world.app(node, 'dora')];
    const { callId } = await ring(line.address);
    await carlApp.next('call:incoming');
    await carlApp.ask('call:decline', { callId });
    expect(await carlApp.next('call:withdrawn')).toMatchObject({ reason: 'DECLINED' });
    await doraApp.next('call:incoming');
    await doraApp.ask('call:decline', { callId });
    await doraApp.next('call:withdrawn');
    const live = await world.db.liveCall.findUniqueOrThrow({ where: { callId } });
    expect(live.state).toMatchObject({ phase: 'waiting', wait: { declined: [carl.id, dora.id] } });
    await world.terminate(callId);
    expect(await world.ended(callId)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CONSUMER',
    });
    await media.released(callId);
    carlApp.close();
    doraApp.close();
  });

  test('nobody available: the call waits until somebody comes', async () => {
    const emil = await world.agent('emil');
    const line = await world.line({ inboundQueueId: (await world.queue([emil])).id });
    const app = await world.app(node, 'emil');
    const { callId, legId } = await ring(line.address);
    expect(app.told.some(({ name }) => name === 'call:incoming')).toBe(false);
    await app.ask('availability:set', { status: 'AVAILABLE' });
    await app.next('call:incoming');
    media.ended(callId, legId, legEndOf('remote-cancel'));
    expect(await app.next('call:withdrawn')).toMatchObject({ callId, reason: 'CANCELLED' });
    expect(await world.ended(callId)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CUSTOMER',
    });
    app.close();
  });

  test('an offer that rings out goes on to the next agent', async () => {
    const [fay, gus] = [await freeAgent('fay', { idleSince: new Date(0) }), await freeAgent('gus')];
    const queue = await world.queue([fay, gus], { ringTimeoutSeconds: 1 });
    const line = await world.line({ inboundQueueId: queue.id });
    const [fayApp, gusApp] = [await world.app(node, 'fay'), await world.app(node, 'gus')];
    const { callId } = await ring(line.address);
    await fayApp.next('call:incoming');
    expect(await fayApp.next('call:withdrawn')).toMatchObject({ reason: 'TIMEOUT' });
    await gusApp.next('call:incoming');
    expect(await world.agentRow(fay.id)).toMatchObject({ consecutiveMissed: 1, currentCallId: null });
    await world.terminate(callId);
    fayApp.close();
    gusApp.close();
  });

  test('max_wait moves the call to the overflow queue, and ends it TIMEOUT where there is none', async () => {
    const overflow = await world.queue([], { maxWaitSeconds: 1 });
    const first = await world.queue([], { maxWaitSeconds: 1, overflowQueueId: overflow.id });
    const line = await world.line({ inboundQueueId: first.id });
    const { callId } = await ring(line.address);
    expect(await world.ended(callId)).toMatchObject({
      terminationReason: 'TIMEOUT',
      terminatedBy: 'SYSTEM',
      queueRef: overflow.ref,
    });
    expect(await media.command('call:release', callId)).toMatchObject({ status: 480 });
  });

  test('one of two devices accepts; the other is told', async () => {
    const hana = await freeAgent('hana');
    const line = await world.line({ inboundQueueId: (await world.queue([hana])).id });
    const [desk, phone] = [await world.app(node, 'hana', 'desk'), await world.app(node, 'hana', 'phone')];
    const { callId } = await ring(line.address);
    await Promise.all([desk.next('call:incoming'), phone.next('call:incoming')]);
    const replies = await Promise.all([
      desk.send('call:accept', { callId, sdpOffer: 'desk' }),
      phone.send('call:accept', { callId, sdpOffer: 'phone' }),
    ]);
    expect(replies.filter(({ ok }) => ok)).toHaveLength(1);
    const loser = replies[0]?.ok ? phone : desk;
    expect(await loser.next('call:withdrawn')).toMatchObject({ reason: 'ANSWERED_ELSEWHERE' });
    await world.terminate(callId);
    expect(await world.ended(callId)).toMatchObject({ terminatedBy: 'CONSUMER' });
    desk.close();
    phone.close();
  });
});
