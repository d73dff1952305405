import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { Agent, Channel, Prisma } from '@clarion/db';
import type { Realtime } from '../src/server.ts';
import { RealtimeFixture } from './fixture.ts';
import { playIdOf, says, wordsOf } from './sources.ts';

let fixture: RealtimeFixture;
let node: Realtime & { url: string };
let media: FakeMedia;
let agents = 0;

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  node = await fixture.startNode();
  media = await fixture.media([node]);
});
afterAll(() => fixture.close());

const ada = () => fixture.agent(`agent-${++agents}`, { shift: 'AVAILABLE' });

const ring = (line: Channel, fromUser = '447700900123') =>
  media.ring({ requestUser: line.address.slice(1), fromUser });

describe('a callback', () => {
  /** A caller requests a callback and hears the confirmation. */
  async function asked(more: Partial<Prisma.QueueUncheckedCreateInput> = {}, members: Agent[] = []) {
    const agent = members[0] ?? (await ada());
    const queue = await fixture.queue(members.length > 0 ? members : [agent], { callbackKey: '1', ...more });
    const line = await fixture.answeringLine(queue);
    const { callId, legId } = await ring(line);
    await media.hears(callId, legId, says('to-be-called-back'));
    await media.pressed(callId, legId, '1');
    const goodbye = await media.hears(callId, legId, says('we-will-call-you-back'));
    await media.played(callId, legId, playIdOf(goodbye));
    const ended = await fixture.ended(callId);
    const call = await fixture.until(
      async () => (await fixture.db.call.findUnique({ where: { callbackOf: callId } })) ?? undefined,
      'the callback',
    );
    return { agent, queue, line, callId, ended, call };
  }

  test('keeps the place of a caller who pressed the key, and calls them when it is their turn', async () => {
    const { agent, queue, line, callId, ended, call } = await asked();
    expect(ended).toMatchObject({ terminationReason: 'CANCELLED', terminatedBy: 'CUSTOMER' });
    expect(await fixture.logOf(callId)).toContain('CALLBACK_ASKED');
    expect(call).toMatchObject({
      direction: 'OUTBOUND',
      status: 'INITIATED',
      channelId: line.id,
      queueId: queue.id,
      customerAddress: '+447700900123',
      agentId: null,
    });
    // A later caller comes after them.
    const later = await ring(line);
    const app = await fixture.app(node, agent.ref);
    const incoming = await app.next('call:incoming');
    expect(incoming).toMatchObject({
      assignmentType: 'QUEUE',
      call: { callId: call.id, direction: 'OUTBOUND', state: 'incoming' },
    });
    await app.ask('call:accept', { callId: call.id, sdpOffer: 'offer' });
    const dial = await media.command('carrier:dial', call.id);
    expect(dial.attempts).toMatchObject([{ called: '447700900123', caller: line.address.slice(1) }]);
    media.ringing(call.id, dial.legId);
    media.connected(call.id, dial.legId);
    const active = await app.next('call:updated', ({ call: { state } }) => state === 'active');
    expect(active.call).toMatchObject({
      callId: call.id,
      assignmentType: 'QUEUE',
      queue: { ref: queue.ref },
    });
    await app.ask('call:hangup', { callId: call.id });
    expect(await fixture.ended(call.id)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'AGENT',
      agentRef: agent.ref,
    });
    expect(await fixture.eventsOf(call.id)).toEqual([
      'call.created',
      'call.ringing',
      'call.answered',
      'call.ended',
    ]);
    await app.next('call:incoming', ({ call: { callId: id } }) => id === later.callId);
    await fixture.terminate(later.callId);
    app.close();
  });

  test('is offered to the next agent when one declines or their audio fails, and never again to the one who declined', async () => {
    const [first, second] = [await ada(), await ada()];
    const { call } = await asked({ strategy: 'PRIORITY', ringTimeoutSeconds: 30 }, [first, second]);
    const declining = await fixture.app(node, first.ref);
    await declining.next('call:incoming');
    await declining.ask('call:decline', { callId: call.id });
    const app = await fixture.app(node, second.ref);
    await app.next('call:incoming');
    app.clearReceived();
    await expect(app.ask('call:accept', { callId: call.id, sdpOffer: 'no SDP at all' })).rejects.toThrow();
    expect((await app.next('call:ended')).call.callId).toBe(call.id);
    await app.next('call:incoming');
    await app.ask('call:accept', { callId: call.id, sdpOffer: 'offer' });
    const { legId } = await media.command('carrier:dial', call.id);
    media.ended(call.id, legId, legEndOf('no-answer-local'));
    // A customer who does not answer is not called again.
    expect(await fixture.ended(call.id)).toMatchObject({
      terminationReason: 'NO_ANSWER',
      terminatedBy: 'CUSTOMER',
    });
    expect(declining.received.filter(({ name }) => name === 'call:incoming')).toHaveLength(1);
    app.close();
    declining.close();
  });

  test('ends as TIMEOUT if no agent accepts it within max_wait_seconds, and as CANCELLED by the consumer', async () => {
    const { call } = await asked({ maxWaitSeconds: 2 });
    expect(await fixture.ended(call.id)).toMatchObject({
      terminationReason: 'TIMEOUT',
      terminatedBy: 'SYSTEM',
    });
    const other = await asked();
    await fixture.terminate(other.call.id);
    expect(await fixture.ended(other.call.id)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CONSUMER',
    });
  });

  test('is created once for a caller who hangs up before the confirmation has ended', async () => {
    const queue = await fixture.queue([await ada()], { callbackKey: '*' });
    const { callId, legId } = await ring(await fixture.answeringLine(queue));
    await media.hears(callId, legId, says('star'));
    await media.pressed(callId, legId, '**');
    await media.hears(callId, legId, says('we-will-call-you-back'));
    media.ended(callId, legId, legEndOf('remote-bye'));
    await fixture.ended(callId);
    const call = await fixture.until(
      async () => (await fixture.db.call.findUnique({ where: { callbackOf: callId } })) ?? undefined,
      'the callback',
    );
    expect((await fixture.logOf(callId)).filter((type) => type === 'CALLBACK_ASKED')).toHaveLength(1);
    await fixture.terminate(call.id);
  });

  test('is not offered to a caller without a number that may be called', async () => {
    const queue = await fixture.queue([], { callbackKey: '1', announcePosition: true });
    const { callId, legId } = await ring(await fixture.answeringLine(queue), 'anonymous');
    expect(wordsOf(await media.hears(callId, legId, says('you-are-number')))).toEqual([
      'you-are-number',
      '1',
      'in-the-queue',
    ]);
    await media.pressed(callId, legId, '1');
    expect(await fixture.logOf(callId)).not.toContain('CALLBACK_ASKED');
    await fixture.terminate(callId);
  });
});
