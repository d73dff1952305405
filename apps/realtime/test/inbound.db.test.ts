import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { legEndOf, legStatsOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import { inviteRequest } from '@clarion/testkit/peers/invite-request';
import type { InviteRequest } from '@clarion/protocol/media';
import type { Agent } from '@clarion/db';
import type { Realtime } from '../src/server.ts';
import { RealtimeFixture } from './fixture.ts';

let fixture: RealtimeFixture;
let node: Realtime & { url: string };
let media: FakeMedia;

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  node = await fixture.startNode();
  media = await fixture.media([node]);
});
afterAll(() => fixture.close());

/** A call to a number that realtime accepted. */
const ring = (address: string) => media.ring({ requestUser: address.slice(1) });

/** The names of media's commands about the call, oldest first. */
const commandsOf = (callId: number) =>
  media.commands
    .filter(({ payload }) => 'callId' in payload && payload.callId === callId)
    .map(({ command }) => command);

const freeAgent = (ref: string, data = {}): Promise<Agent> =>
  fixture.agent(ref, { shift: 'AVAILABLE', ...data });

describe('a shared line', () => {
  test('an available agent is offered the call, answers, and hangs up', async () => {
    const anna = await freeAgent('anna');
    const queue = await fixture.queue([anna]);
    const line = await fixture.line({ inboundQueueId: queue.id });
    const app = await fixture.app(node, 'anna');
    const { callId, legId } = await ring(line.address);

    const incoming = await app.next('call:incoming');
    expect(incoming).toMatchObject({ assignmentType: 'QUEUE', call: { callId, state: 'incoming' } });
    expect(incoming.call.customer.address).toBe('+447700900123');

    const accepted = await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    expect(accepted).toMatchObject({ sdpAnswer: 'answer to offer', call: { state: 'active' } });
    expect(await media.command('agent:connect', callId)).toMatchObject({ answers: { legId } });
    const active = await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    expect(active.call).toMatchObject({ state: 'active', deviceId: 'device-1' });
    expect(await fixture.agentRow(anna.id)).toMatchObject({ currentCallId: callId, onCall: true });

    await app.ask('call:hangup', { callId });
    expect((await app.next('call:ended')).call).toMatchObject({
      state: 'ended',
      terminationReason: 'COMPLETED',
      terminatedBy: 'AGENT',
    });
    await media.released(callId);
    expect(await fixture.ended(callId)).toMatchObject({
      status: 'TERMINATED',
      agentRef: 'anna',
      queueRef: queue.ref,
    });
    expect(await fixture.eventsOf(callId)).toEqual([
      'call.created',
      'call.ringing',
      'call.answered',
      'call.ended',
    ]);
    expect(await fixture.agentRow(anna.id)).toMatchObject({ currentCallId: null, onCall: false });
    expect(await fixture.db.liveCall.count({ where: { callId } })).toBe(0);
    await fixture.until(
      async () => (await fixture.db.engineOutbox.count({ where: { callId } })) === 0 || undefined,
      'an empty outbox',
    );
    app.close();
  });

  test('media that answers no call by itself is ordered to, with the route of the two before', async () => {
    const { onAgentConnect } = media.behaviour;
    media.behaviour.onAgentConnect = (fake, leg) => fake.connected(leg.callId, leg.legId);
    const cleo = await freeAgent('cleo');
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([cleo])).id });
    const app = await fixture.app(node, 'cleo');
    const { callId, legId } = await ring(line.address);
    await app.next('call:incoming');
    await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    expect(commandsOf(callId)).toEqual(['agent:connect', 'call:route', 'carrier:answer']);
    const { answers } = await media.command('agent:connect', callId);
    const { route, revision } = await media.command('call:route', callId);
    expect(answers).toEqual({ legId, route, revision: revision - 1 });
    media.behaviour.onAgentConnect = onAgentConnect;
    await fixture.terminate(callId);
    app.close();
  });

  test('an agent who hangs up while media answers the call has ended a conversation', async () => {
    const { onAgentConnect } = media.behaviour;
    media.behaviour.onAgentConnect = () => undefined;
    const hugo = await freeAgent('hugo');
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([hugo])).id });
    const app = await fixture.app(node, 'hugo');
    const { callId, legId } = await ring(line.address);
    await app.next('call:incoming');
    await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    const { legId: agentLegId } = await media.command('agent:connect', callId);
    // The fact of the answer is on its way.
    media.legs.delete(agentLegId);
    await app.ask('call:hangup', { callId });
    media.answered(callId, legId, agentLegId);
    await app.next('call:ended');
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'AGENT',
    });
    media.behaviour.onAgentConnect = onAgentConnect;
    app.close();
  });

  test('a call that media has answered for an agent who is gone waits for the next one', async () => {
    const { onAgentConnect } = media.behaviour;
    media.behaviour.onAgentConnect = () => undefined;
    const [rita, theo] = [await freeAgent('rita'), await freeAgent('theo', { shift: 'OFFLINE' })];
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([rita, theo])).id });
    const app = await fixture.app(node, 'rita');
    const next = await fixture.app(node, 'theo');
    const { callId, legId } = await ring(line.address);
    await app.next('call:incoming');
    await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    const { legId: agentLegId } = await media.command('agent:connect', callId);
    await app.ask('call:decline', { callId });
    const waits = () => fixture.db.liveCall.count({ where: { callId, ringing: false, activeQueueId: null } });
    await fixture.until(async () => (await waits()) === 1 || undefined, 'the call to wait');
    media.answered(callId, legId, agentLegId);
    expect(await media.hears(callId, legId)).toEqual([{ kind: 'tone', tone: 'hold' }]);

    media.behaviour.onAgentConnect = onAgentConnect;
    await next.ask('availability:set', { status: 'AVAILABLE' });
    await next.next('call:incoming');
    await next.ask('call:accept', { callId, sdpOffer: 'offer' });
    await next.next('call:updated', ({ call }) => call.answeredAt !== null);
    expect(commandsOf(callId)).not.toContain('carrier:answer');
    await next.ask('call:hangup', { callId });
    expect(await fixture.ended(callId)).toMatchObject({ terminationReason: 'COMPLETED', agentRef: 'theo' });
    app.close();
    next.close();
  });

  test('the caller hangs up: COMPLETED by CUSTOMER at the time reported by media', async () => {
    const bert = await freeAgent('bert');
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([bert])).id });
    const app = await fixture.app(node, 'bert');
    const { callId, legId } = await ring(line.address);
    await app.next('call:incoming');
    await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    media.ended(callId, legId, legEndOf('remote-bye'));
    await app.next('call:ended');
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'CUSTOMER',
    });
    app.close();
  });

  test('what media reports about the legs after our own hang-up is stored once, without events', async () => {
    const stan = await freeAgent('stan');
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([stan])).id });
    const app = await fixture.app(node, 'stan');
    const { callId, legId } = await ring(line.address);
    await app.next('call:incoming');
    await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    media.statsOf = (kind) => legStatsOf({ lostPackets: kind === 'agent' ? 1 : 2 });
    await app.ask('call:hangup', { callId });
    const { endedAt } = await fixture.ended(callId);

    const legs = () => fixture.db.callLeg.findMany({ where: { callId }, orderBy: { type: 'asc' } });
    const kept = await fixture.until(async () => {
      const rows = await legs();
      return rows.every(({ stats }) => JSON.stringify(stats).includes('lost')) ? rows : undefined;
    }, 'the figures of both legs');
    expect(kept).toMatchObject([
      { type: 'AGENT', state: 'DISCONNECTED', disconnectedAt: endedAt, stats: { lostPackets: 1 } },
      { type: 'CUSTOMER', state: 'DISCONNECTED', disconnectedAt: endedAt, stats: { lostPackets: 2 } },
    ]);

    const events = await fixture.eventsOf(callId);
    const at = new Date().toISOString();
    const stats = media.statsOf('carrier-in');
    await media.fact('leg:ended', { callId, legId, kind: 'carrier-in', at, end: legEndOf('local'), stats });
    expect(await legs()).toEqual(kept);
    expect(await fixture.eventsOf(callId)).toEqual(events);
    media.statsOf = () => null;
    app.close();
  });

  test('a declined call is offered to the next agent and never to the first again', async () => {
    const [carl, dora] = [await freeAgent('carl', { idleSince: new Date(0) }), await freeAgent('dora')];
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([carl, dora])).id });
    const [carlApp, doraApp] = [await fixture.app(node, 'carl'), await fixture.app(node, 'dora')];
    const { callId } = await ring(line.address);
    await carlApp.next('call:incoming');
    await carlApp.ask('call:decline', { callId });
    expect(await carlApp.next('call:withdrawn')).toMatchObject({ reason: 'DECLINED' });
    await doraApp.next('call:incoming');
    await doraApp.ask('call:decline', { callId });
    await doraApp.next('call:withdrawn');
    const live = await fixture.db.liveCall.findUniqueOrThrow({ where: { callId } });
    expect(live.state).toMatchObject({ phase: 'waiting', wait: { declined: [carl.id, dora.id] } });
    await fixture.terminate(callId);
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CONSUMER',
    });
    await media.released(callId);
    carlApp.close();
    doraApp.close();
  });

  test('without an available agent the call waits until there is one', async () => {
    const emil = await fixture.agent('emil');
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([emil])).id });
    const app = await fixture.app(node, 'emil');
    const { callId, legId } = await ring(line.address);
    expect(app.received.some(({ name }) => name === 'call:incoming')).toBe(false);
    await app.ask('availability:set', { status: 'AVAILABLE' });
    await app.next('call:incoming');
    media.ended(callId, legId, legEndOf('remote-cancel'));
    expect(await app.next('call:withdrawn')).toMatchObject({ callId, reason: 'CANCELLED' });
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CUSTOMER',
    });
    app.close();
  });

  test('after an offer expires the next agent is offered the call', async () => {
    const [fay, gus] = [await freeAgent('fay', { idleSince: new Date(0) }), await freeAgent('gus')];
    const queue = await fixture.queue([fay, gus], { ringTimeoutSeconds: 1 });
    const line = await fixture.line({ inboundQueueId: queue.id });
    const [fayApp, gusApp] = [await fixture.app(node, 'fay'), await fixture.app(node, 'gus')];
    const { callId } = await ring(line.address);
    await fayApp.next('call:incoming');
    expect(await fayApp.next('call:withdrawn')).toMatchObject({ reason: 'TIMEOUT' });
    await gusApp.next('call:incoming');
    expect(await fixture.agentRow(fay.id)).toMatchObject({ consecutiveMissed: 1, currentCallId: null });
    await fixture.terminate(callId);
    fayApp.close();
    gusApp.close();
  });

  test('after max_wait_seconds the call moves to the overflow queue, or ends as TIMEOUT if there is none', async () => {
    const overflow = await fixture.queue([], { maxWaitSeconds: 1 });
    const first = await fixture.queue([], { maxWaitSeconds: 1, overflowQueueId: overflow.id });
    const line = await fixture.line({ inboundQueueId: first.id });
    const { callId } = await ring(line.address);
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'TIMEOUT',
      terminatedBy: 'SYSTEM',
      queueRef: overflow.ref,
    });
    expect(await media.command('call:release', callId)).toMatchObject({ status: 480 });
  });

  test('one of two devices accepts, and the other is notified', async () => {
    const hana = await freeAgent('hana');
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([hana])).id });
    const [desk, phone] = [await fixture.app(node, 'hana', 'desk'), await fixture.app(node, 'hana', 'phone')];
    const { callId } = await ring(line.address);
    await Promise.all([desk.next('call:incoming'), phone.next('call:incoming')]);
    const replies = await Promise.all([
      desk.send('call:accept', { callId, sdpOffer: 'desk' }),
      phone.send('call:accept', { callId, sdpOffer: 'phone' }),
    ]);
    expect(replies.filter(({ ok }) => ok)).toHaveLength(1);
    const loser = replies[0]?.ok ? phone : desk;
    expect(await loser.next('call:withdrawn')).toMatchObject({ reason: 'ANSWERED_ELSEWHERE' });
    await fixture.terminate(callId);
    expect(await fixture.ended(callId)).toMatchObject({ terminatedBy: 'CONSUMER' });
    desk.close();
    phone.close();
  });
});

describe('an INVITE that media answered without a decision', () => {
  const withdrawn = (request: InviteRequest) =>
    media.fact('invite:withdrawn', {
      callId: null,
      legId: request.legId,
      at: new Date().toISOString(),
      request,
      end: legEndOf('media-error', { sipStatus: 503 }),
    });

  test('ends its call, and its agent is released', async () => {
    const ivan = await freeAgent('ivan');
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([ivan])).id });
    const app = await fixture.app(node, 'ivan');
    const { answer, question } = await media.invite({ requestUser: line.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    await app.next('call:incoming');
    await withdrawn(question);
    expect(await fixture.ended(answer.callId)).toMatchObject({ status: 'FAILED', terminatedBy: 'SYSTEM' });
    expect(await fixture.agentRow(ivan.id)).toMatchObject({ currentCallId: null });
  });

  test('does not become a call, and is in the diagnostics of its trunk', async () => {
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([])).id });
    const question = inviteRequest({
      requestUser: line.address,
      mediaNodeId: media.nodeId,
      source: { address: '127.0.0.1', port: 5060, transport: 'UDP' },
    });
    await withdrawn(question);
    await withdrawn(question);
    const { answer } = await media.invite(question);
    expect(answer).toMatchObject({ action: 'reject', status: 503 });
    const { inviteId } = question;
    expect(await fixture.db.call.count({ where: { inviteId } })).toBe(0);
    const refusals = await fixture.db.sipRefusal.findMany({ where: { number: line.address } });
    expect(refusals).toMatchObject([{ trunkId: fixture.trunk.id, status: 503 }]);
  });

  test('is not decided on once its time is over', async () => {
    const line = await fixture.line({ inboundQueueId: (await fixture.queue([])).id });
    const { promise: refused, resolve } = Promise.withResolvers<void>();
    const metrics = async () => (await fetch(`http://127.0.0.1:${node.metricsPort}/metrics`)).text();
    const question = inviteRequest({ requestUser: line.address, decideWithinMs: 1 });
    void media.invite(question).catch(() => resolve());
    await refused;
    expect(await metrics()).toContain('clarion_invites_refused_total{reason="expired"} 1');
    expect(await fixture.db.call.count({ where: { inviteId: question.inviteId } })).toBe(0);
  });
});
