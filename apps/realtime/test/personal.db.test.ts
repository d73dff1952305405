import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
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

const addPushToken = (agentId: number) =>
  fixture.db.pushToken.create({
    data: {
      agentId,
      deviceId: 'phone',
      platform: 'IOS',
      provider: 'APNS_VOIP',
      tokenSealed: 'sealed',
      tokenHash: 'hash',
    },
  });

/** The call that was last created, for an INVITE that was rejected on arrival. */
const lastCall = () => fixture.db.call.findFirstOrThrow({ orderBy: { id: 'desc' } });

describe('a personal line', () => {
  test('rings its owner even if OFFLINE, on the direct path, and the owner answers', async () => {
    const owner = await fixture.agent('owner-1');
    const line = await fixture.line({ ownerAgentId: owner.id });
    const app = await fixture.app(node, 'owner-1');
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
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'CUSTOMER',
      agentRef: 'owner-1',
      channelRef: line.ref,
      mediaPath: 'DIRECT',
    });
    app.close();
  });

  test('the owner declines: REJECTED by AGENT, the caller gets 603', async () => {
    const owner = await fixture.agent('owner-2');
    const line = await fixture.line({ ownerAgentId: owner.id });
    const app = await fixture.app(node, 'owner-2');
    const { answer } = await media.invite({ requestUser: line.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    await app.next('call:incoming');
    await app.ask('call:decline', { callId: answer.callId });
    expect(await fixture.ended(answer.callId)).toMatchObject({
      terminationReason: 'REJECTED',
      terminatedBy: 'AGENT',
      agentRef: 'owner-2',
    });
    expect(await media.command('call:release', answer.callId)).toMatchObject({ status: 603 });
    app.close();
  });

  test('without a device: NO_ANSWER immediately, 480, one call.created and one call.ended', async () => {
    const owner = await fixture.agent('owner-3');
    const line = await fixture.line({ ownerAgentId: owner.id });
    const { answer } = await media.invite({ requestUser: line.address });
    expect(answer).toMatchObject({ action: 'reject', status: 480 });
    const call = await lastCall();
    expect(call).toMatchObject({
      terminationReason: 'NO_ANSWER',
      terminatedBy: 'SYSTEM',
      agentRef: 'owner-3',
    });
    expect(await fixture.eventsOf(call.id)).toEqual(['call.created', 'call.ended']);
  });

  test('of two events in the same millisecond the later one has a later time', async () => {
    const line = await fixture.line({ ownerAgentId: (await fixture.agent('owner-3b')).id });
    await media.invite({ requestUser: line.address });
    const [created, ended] = await fixture.db.event.findMany({
      where: { callId: (await lastCall()).id },
      orderBy: { sequence: 'asc' },
    });
    expect(Number(ended?.occurredAt)).toBeGreaterThan(Number(created?.occurredAt));
    expect(JSON.parse(ended?.body ?? '{}')).toMatchObject({ occurred_at: ended?.occurredAt.toISOString() });
  });

  test('do not disturb: NO_ANSWER and nothing rings', async () => {
    const owner = await fixture.agent('owner-4', { doNotDisturb: true });
    const line = await fixture.line({ ownerAgentId: owner.id });
    const app = await fixture.app(node, 'owner-4');
    const { answer } = await media.invite({ requestUser: line.address });
    expect(answer).toMatchObject({ action: 'reject', status: 480 });
    expect(await lastCall()).toMatchObject({ terminationReason: 'NO_ANSWER' });
    await app.ask('resync', {});
    expect(app.received.some(({ name }) => name === 'call:incoming')).toBe(false);
    app.close();
  });

  test('an owner on a call: BUSY, 486', async () => {
    const owner = await fixture.agent('owner-5');
    const line = await fixture.line({ ownerAgentId: owner.id });
    const app = await fixture.app(node, 'owner-5');
    const first = await media.invite({ requestUser: line.address });
    if (first.answer.action !== 'accept') throw new Error(first.answer.reason);
    await app.ask('call:accept', { callId: first.answer.callId, sdpOffer: 'offer' });
    const second = await media.invite({ requestUser: line.address });
    expect(second.answer).toMatchObject({ action: 'reject', status: 486 });
    expect(await lastCall()).toMatchObject({ terminationReason: 'BUSY', agentRef: 'owner-5' });
    await fixture.terminate(first.answer.callId);
    await fixture.ended(first.answer.callId);
    app.close();
  });

  describe('an owner who is being rung by another call', () => {
    /** The first call rings the owner, the second waits. */
    async function twoCalls(ref: string) {
      const owner = await fixture.agent(ref);
      const line = await fixture.line({ ownerAgentId: owner.id });
      const app = await fixture.app(node, ref);
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
      expect(await fixture.ended(second)).toMatchObject({
        terminationReason: 'COMPLETED',
        agentRef: 'owner-12',
      });
      app.close();
    });

    test('answers the first: the next caller hears busy, 486, and it is not a missed offer', async () => {
      const { app, owner, first, second } = await twoCalls('owner-13');
      await app.ask('call:accept', { callId: first, sdpOffer: 'offer' });
      expect(await fixture.ended(second)).toMatchObject({
        terminationReason: 'BUSY',
        terminatedBy: 'SYSTEM',
        agentRef: 'owner-13',
      });
      expect(await media.command('call:release', second)).toMatchObject({ status: 486 });
      expect(await fixture.agentRow(owner.id)).toMatchObject({ currentCallId: first, consecutiveMissed: 0 });
      await fixture.terminate(first);
      await fixture.ended(first);
      app.close();
    });

    test('is not rung for a caller who has hung up meanwhile', async () => {
      const { app, owner, first, second } = await twoCalls('owner-14');
      await fixture.terminate(second);
      await fixture.ended(second);
      await app.ask('call:decline', { callId: first });
      await fixture.ended(first);
      await app.ask('resync', {});
      expect(await fixture.agentRow(owner.id)).toMatchObject({ currentCallId: null });
      app.close();
    });
  });

  test('without an answer: NO_ANSWER after the ring timeout', async () => {
    const owner = await fixture.agent('owner-6');
    const line = await fixture.line({ ownerAgentId: owner.id, ringTimeoutSeconds: 1 });
    const app = await fixture.app(node, 'owner-6');
    const { answer } = await media.invite({ requestUser: line.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    expect(await app.next('call:withdrawn')).toMatchObject({ reason: 'TIMEOUT' });
    expect(await fixture.ended(answer.callId)).toMatchObject({ terminationReason: 'NO_ANSWER' });
    expect(await media.command('call:release', answer.callId)).toMatchObject({ status: 480 });
    app.close();
  });

  test('no device but a push token: NO_ANSWER at once, 480, because push is not available', async () => {
    const owner = await fixture.agent('owner-9');
    const line = await fixture.line({ ownerAgentId: owner.id });
    await addPushToken(owner.id);
    const { answer } = await media.invite({ requestUser: line.address });
    expect(answer).toMatchObject({ action: 'reject', status: 480 });
    expect(await lastCall()).toMatchObject({
      terminationReason: 'NO_ANSWER',
      terminatedBy: 'SYSTEM',
      agentRef: 'owner-9',
    });
    expect(await fixture.agentRow(owner.id)).toMatchObject({ consecutiveMissed: 0, currentCallId: null });
  });

  test('missed offers count for auto-offline, together with those of queues, and an answer resets the count', async () => {
    await fixture.db.tenant.update({
      where: { id: fixture.tenant.id },
      data: { settings: { autoOffline: { enabled: true, missedThreshold: 2 } } },
    });
    const agent = await fixture.agent('owner-11', { shift: 'AVAILABLE' });
    const queue = await fixture.queue([agent], { ringTimeoutSeconds: 1, maxWaitSeconds: 1 });
    const own = await fixture.line({ ownerAgentId: agent.id, ringTimeoutSeconds: 1 });
    const shared = await fixture.line({ inboundQueueId: queue.id });
    const app = await fixture.app(node, 'owner-11');
    const ringsOut = async (requestUser: string) => {
      const { answer } = await media.invite({ requestUser });
      if (answer.action !== 'accept') throw new Error(answer.reason);
      await fixture.ended(answer.callId);
    };
    await ringsOut(own.address);
    expect(await fixture.agentRow(agent.id)).toMatchObject({ consecutiveMissed: 1, shift: 'AVAILABLE' });
    const { answer, question } = await media.invite({ requestUser: own.address });
    if (answer.action !== 'accept') throw new Error(answer.reason);
    await app.ask('call:accept', { callId: answer.callId, sdpOffer: 'offer' });
    await app.next('call:updated', ({ call }) => call.answeredAt !== null);
    media.ended(answer.callId, question.legId, legEndOf('remote-bye'));
    await fixture.ended(answer.callId);
    expect(await fixture.agentRow(agent.id)).toMatchObject({ consecutiveMissed: 0 });
    await ringsOut(own.address);
    await fixture.db.queue.update({ where: { id: queue.id }, data: { maxWaitSeconds: 2 } });
    await ringsOut(shared.address);
    expect(await fixture.agentRow(agent.id)).toMatchObject({ consecutiveMissed: 0, shift: 'OFFLINE' });
    await app.next('agent:updated', ({ agent: told }) => told.availability === 'OFFLINE');
    app.close();
  });
});

describe('an INVITE is rejected', () => {
  const refusal = () => fixture.db.sipRefusal.findFirst({ orderBy: { id: 'desc' } });

  test('for an unknown number: 404, with the reason in the diagnostics of the trunk, and without a call', async () => {
    const before = await fixture.db.call.count();
    const { answer } = await media.invite({ requestUser: '442079999999' });
    expect(answer).toEqual({ action: 'reject', status: 404, reason: 'Not Found', stored: true });
    expect(await fixture.db.call.count()).toBe(before);
    const kept = await fixture.until(async () => {
      const row = await refusal();
      return row?.number === '442079999999' ? row : undefined;
    }, 'the refusal');
    expect(kept).toMatchObject({ trunkId: fixture.trunk.id, status: 404, source: '127.0.0.1' });
    expect(kept.reason).toContain('+442079999999');
  });

  test('from a source of no trunk: 403, revealing nothing', async () => {
    const { answer } = await media.invite({
      requestUser: '442079999999',
      source: { address: '198.51.100.7', port: 5060, transport: 'UDP' },
    });
    expect(answer).toEqual({ action: 'reject', status: 403, reason: 'Forbidden', stored: false });
  });

  test('from a source that is not one of the trunk selected by the ingress host', async () => {
    const owner = await fixture.agent('owner-7');
    const line = await fixture.line({ ownerAgentId: owner.id });
    const named = { requestUser: line.address, requestHost: 'carrier.sip.example.test' };
    expect((await media.invite(named)).answer).toMatchObject({ status: 480 });
    const foreign = { address: '198.51.100.7', port: 5060, transport: 'UDP' } as const;
    expect((await media.invite({ ...named, source: foreign })).answer).toMatchObject({ status: 403 });
    expect((await media.invite({ ...named, requestHost: 'other.sip.example.test' })).answer).toMatchObject({
      status: 403,
    });
  });

  test('for a line without queue or owner: REJECTED by SYSTEM, 603', async () => {
    const line = await fixture.line({});
    expect((await media.invite({ requestUser: line.address })).answer).toMatchObject({ status: 603 });
    expect(await lastCall()).toMatchObject({ terminationReason: 'REJECTED', terminatedBy: 'SYSTEM' });
  });

  test('for a DISABLED line: 480, and the call names its owner', async () => {
    const owner = await fixture.agent('owner-8');
    const line = await fixture.line({ ownerAgentId: owner.id, status: 'DISABLED' });
    expect((await media.invite({ requestUser: line.address })).answer).toMatchObject({ status: 480 });
    expect(await lastCall()).toMatchObject({ terminationReason: 'REJECTED', agentRef: 'owner-8' });
  });

  test('beyond the limit of concurrent calls: 503', async () => {
    const queue = await fixture.queue([]);
    const line = await fixture.line({ inboundQueueId: queue.id });
    await fixture.db.consumer.update({ where: { id: fixture.consumer.id }, data: { planCallsAtOnce: 1 } });
    const first = await media.invite({ requestUser: line.address });
    if (first.answer.action !== 'accept') throw new Error(first.answer.reason);
    expect((await media.invite({ requestUser: line.address })).answer).toMatchObject({ status: 503 });
    await fixture.db.consumer.update({ where: { id: fixture.consumer.id }, data: { planCallsAtOnce: 100 } });
    await fixture.terminate(first.answer.callId);
    await fixture.ended(first.answer.callId);
  });

  test('once: a repeated request creates no further call and gets the same decision', async () => {
    const queue = await fixture.queue([]);
    const line = await fixture.line({ inboundQueueId: queue.id });
    const first = await media.invite({ requestUser: line.address });
    const again = await media.invite(first.question);
    expect(again.answer).toEqual(first.answer);
    const refused = await fixture.line({});
    const no = await media.invite({ requestUser: refused.address });
    const calls = await fixture.db.call.count();
    // The refusal is stored once.
    expect(no.answer).toMatchObject({ status: 603, stored: true });
    expect((await media.invite(no.question)).answer).toEqual({
      action: 'reject',
      status: 603,
      reason: 'Decline',
    });
    expect(await fixture.db.call.count()).toBe(calls);
    if (first.answer.action === 'accept') await fixture.terminate(first.answer.callId);
  });
});
