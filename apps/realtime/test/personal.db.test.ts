import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
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

const addPushToken = (agentId: number) =>
  world.db.pushToken.create({
    data: {
      agentId,
      deviceId: 'phone',
      platform: 'IOS',
      provider: 'APNS_VOIP',
      tokenSealed: 'sealed',
      tokenHash: 'hash',
    },
  });

/** The call that was last created, for an INVITE that was refused on arrival. */
const lastCall = () => world.db.call.findFirstOrThrow({ orderBy: { id: 'desc' } });

describe('a personal line', () => {
  test('rings the owner though OFFLINE, on the direct path; the owner answers', async () => {
    const owner = await world.agent('owner-1');
    const line = await world.line({ ownerAgentId: owner.id });
    const app = await world.app(node, 'owner-1');
    const { answer, question } = await media.invite({ requestUser: line.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    const { callId } = answer;
    expect(await app.next('call:incoming')).toMatchObject({
      assignmentType: 'DIRECT',
      call: { queue: null },
    });
    await app.ask('call:accept', { callId, sdpOffer: 'offer' });
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    media.ended(callId, question.legId, legEndOf('remote-bye'));
    expect(await world.ended(callId)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'CUSTOMER',
      agentRef: 'owner-1',
      channelRef: line.ref,
      mediaPath: 'DIRECT',
    });
    app.close();
  });

  test('the owner declines: REJECTED by AGENT, the caller gets 603', async () => {
    const owner = await world.agent('owner-2');
    const line = await world.line({ ownerAgentId: owner.id });
    const app = await world.app(node, 'owner-2');
    const { answer } = await media.invite({ requestUser: line.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    await app.next('call:incoming');
    await app.ask('call:decline', { callId: answer.callId });
    expect(await world.ended(answer.callId)).toMatchObject({
      terminationReason: 'REJECTED',
      terminatedBy: 'AGENT',
      agentRef: 'owner-2',
    });
    expect(await media.command('call:release', answer.callId)).toMatchObject({ status: 603 });
    app.close();
  });

  test('no device: NO_ANSWER at once, 480, one call.created and one call.ended', async () => {
    const owner = await world.agent('owner-3');
    const line = await world.line({ ownerAgentId: owner.id });
    const { answer } = await media.invite({ requestUser: line.address });
    expect(answer).toMatchObject({ action: 'reject', status: 480 });
    const call = await lastCall();
    expect(call).toMatchObject({
      terminationReason: 'NO_ANSWER',
      terminatedBy: 'SYSTEM',
      agentRef: 'owner-3',
    });
    expect(await world.eventsOf(call.id)).toEqual(['call.created', 'call.ended']);
  });

  test('of two events of one moment the later one is said to be later', async () => {
    const line = await world.line({ ownerAgentId: (await world.agent('owner-3b')).id });
    await media.invite({ requestUser: line.address });
    const [created, ended] = await world.db.event.findMany({
      where: { callId: (await lastCall()).id },
      orderBy: { sequence: 'asc' },
    });
    expect(Number(ended?.occurredAt)).toBeGreaterThan(Number(created?.occurredAt));
    expect(JSON.parse(ended?.body ?? '{}')).toMatchObject({ occurred_at: ended?.occurredAt.toISOString() });
  });

  test('do not disturb: NO_ANSWER and nothing rings', async () => {
    const owner = await world.agent('owner-4', { doNotDisturb: true });
    const line = await world.line({ ownerAgentId: owner.id });
    const app = await world.app(node, 'owner-4');
    const { answer } = await media.invite({ requestUser: line.address });
    expect(answer).toMatchObject({ action: 'reject', status: 480 });
    expect(await lastCall()).toMatchObject({ terminationReason: 'NO_ANSWER' });
    await app.ask('resync', {});
    expect(app.told.some(({ name }) => name === 'call:incoming')).toBe(false);
    app.close();
  });

  test('an owner on a call: BUSY, 486', async () => {
    const owner = await world.agent('owner-5');
    const line = await world.line({ ownerAgentId: owner.id });
    const app = await world.app(node, 'owner-5');
    const first = await media.invite({ requestUser: line.address });
    if (first.answer.action !== 'accept') throw new Error(first.answer.reason);
    await app.ask('call:accept', { callId: first.answer.callId, sdpOffer: 'offer' });
    const second = await media.invite({ requestUser: line.address });
    expect(second.answer).toMatchObject({ action: 'reject', status: 486 });
    expect(await lastCall()).toMatchObject({ terminationReason: 'BUSY', agentRef: 'owner-5' });
    await world.terminate(first.answer.callId);
    await world.ended(first.answer.callId);
    app.close();
  });

  describe('an owner at whom another call rings', () => {
    /** The first call rings at the owner, the second waits. */
    async function twoCalls(ref: string) {
      const owner = await world.agent(ref);
      const line = await world.line({ ownerAgentId: owner.id });
      const app = await world.app(node, ref);
      const callIds: number[] = [];
      for (let count = 0; count < 2; count += 1) {
        const { answer } = await media.invite({ requestUser: line.address });
        if (answer.action !== 'accept') throw new Error(answer.reason);
        callIds.push(answer.callId);
      }
      const [first = 0, second = 0] = callIds;
      await app.next('call:incoming', ({ call }) => call.callId === first);
      return { app, owner, first, second };
    }

    test('is offered the next caller as soon as they have declined the first, and answers', async () => {
      const { app, first, second } = await twoCalls('owner-12');
      await app.ask('call:decline', { callId: first });
      await app.next('call:incoming', ({ call }) => call.callId === second);
      await app.ask('call:accept', { callId: second, sdpOffer: 'offer' });
      await app.next('call:updated', ({ call }) => call.callId === second && call.answeredAt !== null);
      await app.ask('call:hangup', { callId: second });
      expect(await world.ended(second)).toMatchObject({
        terminationReason: 'COMPLETED',
        agentRef: 'owner-12',
      });
      app.close();
    });

    test('answers the first: the next caller hears busy, 486, and it is not a missed offer', async () => {
      const { app, owner, first, second } = await twoCalls('owner-13');
      await app.ask('call:accept', { callId: first, sdpOffer: 'offer' });
      expect(await world.ended(second)).toMatchObject({
        terminationReason: 'BUSY',
        terminatedBy: 'SYSTEM',
        agentRef: 'owner-13',
      });
      expect(await media.command('call:release', second)).toMatchObject({ status: 486 });
      expect(await world.agentRow(owner.id)).toMatchObject({ currentCallId: first, consecutiveMissed: 0 });
      await world.terminate(first);
      await world.ended(first);
      app.close();
    });

    test('is not rung by a caller who has given up meanwhile', async () => {
      const { app, owner, first, second } = await twoCalls('owner-14');
      await world.terminate(second);
      await world.ended(second);
      await app.ask('call:decline', { callId: first });
      await world.ended(first);
      await app.ask('resync', {});
      expect(await world.agentRow(owner.id)).toMatchObject({ currentCallId: null });
      app.close();
    });
  });

  test('nobody picks up: NO_ANSWER after the ring time-out', async () => {
    const owner = await world.agent('owner-6');
    const line = await world.line({ ownerAgentId: owner.id, ringTimeoutSeconds: 1 });
    const app = await world.app(node, 'owner-6');
    const { answer } = await media.invite({ requestUser: line.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    expect(await app.next('call:withdrawn')).toMatchObject({ reason: 'TIMEOUT' });
    expect(await world.ended(answer.callId)).toMatchObject({ terminationReason: 'NO_ANSWER' });
    expect(await media.command('call:release', answer.callId)).toMatchObject({ status: 480 });
    app.close();
  });

  test('no device but a push token: NO_ANSWER at once, 480, because push is not available', async () => {
    const owner = await world.agent('owner-9');
    const line = await world.line({ ownerAgentId: owner.id });
    await addPushToken(owner.id);
    const { answer } = await media.invite({ requestUser: line.address });
    expect(answer).toMatchObject({ action: 'reject', status: 480 });
    expect(await lastCall()).toMatchObject({
      terminationReason: 'NO_ANSWER',
      terminatedBy: 'SYSTEM',
      agentRef: 'owner-9',
    });
    expect(await world.agentRow(owner.id)).toMatchObject({ consecutiveMissed: 0, currentCallId: null });
  });

  test('calls that ring out count for auto-offline, together with those of queues; an answer counts anew', async () => {
    await world.db.tenant.update({
      where: { id: world.tenant.id },
      data: { settings: { autoOffline: { enabled: true, missedThreshold: 2 } } },
    });
    const agent = await world.agent('owner-11', { shift: 'AVAILABLE' });
    const queue = await world.queue([agent], { ringTimeoutSeconds: 1, maxWaitSeconds: 1 });
    const own = await world.line({ ownerAgentId: agent.id, ringTimeoutSeconds: 1 });
    const shared = await world.line({ inboundQueueId: queue.id });
    const app = await world.app(node, 'owner-11');
    const ringsOut = async (requestUser: string) => {
      const { answer } = await media.invite({ requestUser });
      if (answer.action !== 'accept') throw new Error(answer.reason);
      await world.ended(answer.callId);
    };
    await ringsOut(own.address);
    expect(await world.agentRow(agent.id)).toMatchObject({ consecutiveMissed: 1, shift: 'AVAILABLE' });
    const { answer, question } = await media.invite({ requestUser: own.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    await app.ask('call:accept', { callId: answer.callId, sdpOffer: 'offer' });
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    media.ended(answer.callId, question.legId, legEndOf('remote-bye'));
    await world.ended(answer.callId);
    expect(await world.agentRow(agent.id)).toMatchObject({ consecutiveMissed: 0 });
    await ringsOut(own.address);
    await world.db.queue.update({ where: { id: queue.id }, data: { maxWaitSeconds: 2 } });
    await ringsOut(shared.address);
    expect(await world.agentRow(agent.id)).toMatchObject({ consecutiveMissed: 0, shift: 'OFFLINE' });
    await app.next('agent:updated', ({ agent: told }) => told.availability === 'OFFLINE');
    app.close();
  });
});

describe('what is refused', () => {
  const refusal = () => world.db.sipRefusal.findFirst({ orderBy: { id: 'desc' } });

  test('an unknown number: 404, told to the trunk in words, and no call', async () => {
    const before = await world.db.call.count();
    const { answer } = await media.invite({ requestUser: '442079999999' });
    expect(answer).toEqual({ action: 'reject', status: 404, reason: 'Not Found' });
    expect(await world.db.call.count()).toBe(before);
    const kept = await world.until(async () => {
      const row = await refusal();
      return row?.number === '442079999999' ? row : undefined;
    }, 'the refusal');
    expect(kept).toMatchObject({ trunkId: world.trunk.id, status: 404, source: '127.0.0.1' });
    expect(kept.reason).toContain('+442079999999');
  });

  test('a source of no trunk: 403 with nothing revealed', async () => {
    const { answer } = await media.invite({
      requestUser: '442079999999',
      source: { address: '198.51.100.7', port: 5060, transport: 'UDP' },
    });
    expect(answer).toEqual({ action: 'reject', status: 403, reason: 'Forbidden' });
  });

  test('the ingress host names the trunk, but not for a foreign source', async () => {
    const owner = await world.agent('owner-7');
    const line = await world.line({ ownerAgentId: owner.id });
    const named = { requestUser: line.address, requestHost: 'carrier.sip.example.test' };
    expect((await media.invite(named)).answer).toMatchObject({ status: 480 });
    const foreign = { address: '198.51.100.7', port: 5060, transport: 'UDP' } as const;
    expect((await media.invite({ ...named, source: foreign })).answer).toMatchObject({ status: 403 });
    expect((await media.invite({ ...named, requestHost: 'other.sip.example.test' })).answer).toMatchObject({
      status: 403,
    });
  });

  test('a line without queue or owner: REJECTED by SYSTEM, 603', async () => {
    const line = await world.line({});
    expect((await media.invite({ requestUser: line.address })).answer).toMatchObject({ status: 603 });
    expect(await lastCall()).toMatchObject({ terminationReason: 'REJECTED', terminatedBy: 'SYSTEM' });
  });

  test('a DISABLED line: 480', async () => {
    const owner = await world.agent('owner-8');
    const line = await world.line({ ownerAgentId: owner.id, status: 'DISABLED' });
    expect((await media.invite({ requestUser: line.address })).answer).toMatchObject({ status: 480 });
  });

  test('more calls at once than the plan has: 503', async () => {
    const queue = await world.queue([]);
    const line = await world.line({ inboundQueueId: queue.id });
    await world.db.consumer.update({ where: { id: world.consumer.id }, data: { planCallsAtOnce: 1 } });
    const first = await media.invite({ requestUser: line.address });
    if (first.answer.action !== 'accept') throw new Error(first.answer.reason);
    expect((await media.invite({ requestUser: line.address })).answer).toMatchObject({ status: 503 });
    await world.db.consumer.update({ where: { id: world.consumer.id }, data: { planCallsAtOnce: 100 } });
    await world.terminate(first.answer.callId);
    await world.ended(first.answer.callId);
  });

  test('an INVITE asked about twice is one call and one answer', async () => {
    const queue = await world.queue([]);
    const line = await world.line({ inboundQueueId: queue.id });
    const first = await media.invite({ requestUser: line.address });
    const again = await media.invite(first.question);
    expect(again.answer).toEqual(first.answer);
    const refused = await world.line({});
    const no = await media.invite({ requestUser: refused.address });
    const calls = await world.db.call.count();
    expect((await media.invite(no.question)).answer).toEqual(no.answer);
    expect(await world.db.call.count()).toBe(calls);
    if (first.answer.action === 'accept') await world.terminate(first.answer.callId);
  });
});
