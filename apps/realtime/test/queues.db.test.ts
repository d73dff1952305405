import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { Agent, Channel, Prisma, Queue } from '@clarion/db';
import type { Realtime } from '../src/server.ts';
import type { AppSocket } from './app-socket.ts';
import { RealtimeFixture } from './fixture.ts';
import { holds, playIdOf, says, wordsOf } from './sources.ts';

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

/** How soon a waiting call must ring an agent who became idle. */
const PROMPTLY_MS = 1_000;

const ada = (more: Partial<Prisma.AgentUncheckedCreateInput> = {}) =>
  fixture.agent(`agent-${++agents}`, { shift: 'AVAILABLE', ...more });

const ring = (line: Channel, fromUser = '447700900123') =>
  media.ring({ requestUser: line.address.slice(1), fromUser });

async function talk(app: AppSocket, callId: number): Promise<void> {
  await app.next('call:incoming', ({ call }) => call.callId === callId);
  await app.ask('call:accept', { callId, sdpOffer: 'offer' });
  await app.next('call:updated', ({ call }) => call.callId === callId && call.answeredAt !== null);
}

describe('wrap-up', () => {
  async function afterACall(seconds: number) {
    const agent = await ada();
    const queue = await fixture.queue([agent], { wrapUpSeconds: seconds });
    const line = await fixture.line({ inboundQueueId: queue.id });
    const app = await fixture.app(node, agent.ref);
    const first = await ring(line);
    await talk(app, first.callId);
    app.clearReceived();
    await app.ask('call:hangup', { callId: first.callId });
    const { agent: told } = await app.next(
      'agent:updated',
      ({ agent: { wrapUpUntil } }) => wrapUpUntil !== null,
    );
    const next = await ring(line);
    return { agent, app, next, endsAt: new Date(told.wrapUpUntil ?? 0).getTime() };
  }

  test('is shown in the apps, keeps queues from offering calls, and ends with an immediate offer', async () => {
    const { app, next, endsAt } = await afterACall(2);
    const { call } = await app.next('call:incoming');
    expect(call.callId).toBe(next.callId);
    expect(Date.now()).toBeGreaterThanOrEqual(endsAt);
    expect(Date.now() - endsAt).toBeLessThan(PROMPTLY_MS);
    await app.next('agent:updated', ({ agent }) => agent.wrapUpUntil === null);
    app.close();
  });

  test('ends when the agent ends it', async () => {
    const { app, next } = await afterACall(600);
    expect(app.received.some(({ name }) => name === 'call:incoming')).toBe(false);
    const { agent } = await app.ask('wrapup:end', {});
    expect(agent.wrapUpUntil).toBeNull();
    expect((await app.next('call:incoming')).call.callId).toBe(next.callId);
    expect((await app.ask('wrapup:end', {})).agent.wrapUpUntil).toBeNull();
    app.close();
  });

  test('ends when the agent goes OFFLINE', async () => {
    const { app, agent } = await afterACall(600);
    const { agent: told } = await app.ask('availability:set', { status: 'OFFLINE' });
    expect(told).toMatchObject({ availability: 'OFFLINE', wrapUpUntil: null });
    expect((await fixture.agentRow(agent.id)).wrapUpUntil).toBeNull();
    app.close();
  });

  test('ends in time even if it exists only in the row, as after the death of a node', async () => {
    const agent = await ada();
    const queue = await fixture.queue([agent]);
    const line = await fixture.line({ inboundQueueId: queue.id });
    const until = new Date(Date.now() + 1_200);
    await fixture.db.agent.update({ where: { id: agent.id }, data: { wrapUpUntil: until } });
    const app = await fixture.app(node, agent.ref);
    const { callId } = await ring(line);
    await app.next('call:incoming', ({ call }) => call.callId === callId);
    expect(Date.now()).toBeGreaterThanOrEqual(until.getTime());
    expect(Date.now() - until.getTime()).toBeLessThan(PROMPTLY_MS);
    await fixture.terminate(callId);
    app.close();
  });

  test('does not follow an unanswered call, nor a call of a personal line', async () => {
    const agent = await ada();
    const queue = await fixture.queue([agent], { wrapUpSeconds: 600 });
    const line = await fixture.line({ inboundQueueId: queue.id });
    const own = await fixture.line({ ownerAgentId: agent.id });
    const app = await fixture.app(node, agent.ref);
    const unanswered = await ring(line);
    await app.next('call:incoming');
    media.ended(unanswered.callId, unanswered.legId, legEndOf('remote-cancel'));
    await fixture.ended(unanswered.callId);
    const personal = await ring(own);
    await talk(app, personal.callId);
    await app.ask('call:hangup', { callId: personal.callId });
    expect((await fixture.agentRow(agent.id)).wrapUpUntil).toBeNull();
    app.close();
  });
});

describe('skills', () => {
  const give = (queue: Queue, agent: Agent, skills: string[]) =>
    fixture.db.queueMember.update({
      where: { queueId_agentId: { queueId: queue.id, agentId: agent.id } },
      data: { skills },
    });

  test('a call with required skills rings only agents who have them all', async () => {
    const [german, nobody] = [await ada(), await ada()];
    const queue = await fixture.queue([nobody, german], { strategy: 'RING_ALL' });
    await give(queue, german, ['billing', 'german']);
    await give(queue, nobody, ['german']);
    const line = await fixture.answeringLine(queue, ['german', 'billing']);
    const [without, having] = [await fixture.app(node, nobody.ref), await fixture.app(node, german.ref)];
    const { callId } = await ring(line);
    await talk(having, callId);
    expect(without.received.some(({ name }) => name === 'call:incoming')).toBe(false);
    await fixture.terminate(callId);
    having.close();
    without.close();
  });

  test('after skills_wait_seconds it rings any agent immediately', async () => {
    const agent = await ada();
    const queue = await fixture.queue([agent], { skillsWaitSeconds: 2 });
    const line = await fixture.answeringLine(queue, ['german']);
    const app = await fixture.app(node, agent.ref);
    const { callId } = await ring(line);
    await app.next('call:incoming', ({ call }) => call.callId === callId);
    const { queuedAt } = await fixture.db.call.findUniqueOrThrow({ where: { id: callId } });
    const waited = Date.now() - Number(queuedAt);
    expect(waited).toBeGreaterThanOrEqual(2_000);
    expect(waited).toBeLessThan(2_000 + PROMPTLY_MS);
    await fixture.terminate(callId);
    app.close();
  });
});

describe('announcements', () => {
  test('tell callers whom a flow answered their position repeatedly, between hold audio', async () => {
    const queue = await fixture.queue([], {
      announcePosition: true,
      announceWait: true,
      announceEverySeconds: 1,
    });
    const line = await fixture.answeringLine(queue);
    const first = await ring(line);
    await media.hears(first.callId, first.legId, says('you-are-number'));
    const second = await ring(line);
    const heard = await media.hears(second.callId, second.legId, says('you-are-number'));
    // No agent is on shift, so there is no estimate.
    expect(wordsOf(heard)).toEqual(['you-are-number', '2', 'in-the-queue']);
    const routes = media.commands.length;
    await media.played(second.callId, second.legId, playIdOf(heard));
    await media.until(
      () =>
        media.commands
          .slice(routes)
          .find(({ command, payload }) => command === 'call:route' && payload.callId === second.callId),
      'the hold audio',
    );
    expect(await media.hears(second.callId, second.legId, holds)).toHaveLength(1);
    // The caller before them hangs up, so they are first in the next announcement.
    media.ended(first.callId, first.legId, legEndOf('remote-bye'));
    await media.hears(second.callId, second.legId, says('1'));
    await fixture.terminate(second.callId);
  });

  test('with members on shift also the estimated wait time', async () => {
    const agent = await ada();
    const queue = await fixture.queue([agent], { announceWait: true, callbackKey: '#' });
    const app = await fixture.app(node, agent.ref);
    const line = await fixture.answeringLine(queue, ['a skill without agents']);
    const { callId, legId } = await ring(line);
    expect(wordsOf(await media.hears(callId, legId, says('estimated-wait')))).toEqual([
      ...['estimated-wait', 'about', '3', 'minutes', 'pause'],
      ...['press', 'hash', 'to-be-called-back'],
    ]);
    await fixture.terminate(callId);
    app.close();
  });

  test('are not played before a flow has answered', async () => {
    const queue = await fixture.queue([], { announcePosition: true, callbackKey: '1' });
    const { callId, legId } = await ring(await fixture.line({ inboundQueueId: queue.id }));
    await media.pressed(callId, legId, '1');
    const live = await fixture.db.liveCall.findUniqueOrThrow({ where: { callId } });
    expect(live).toMatchObject({ waitingQueueId: queue.id, state: { wait: { announceAt: null } } });
    expect(await fixture.logOf(callId)).not.toContain('CALLBACK_ASKED');
    await fixture.terminate(callId);
  });
});

describe('a queue that answers while callers wait', () => {
  const answering = (members: Agent[], more: Partial<Prisma.QueueUncheckedCreateInput> = {}) =>
    fixture.queue(members, { answerWhileWaiting: true, ...more });

  test('answers the carrier, plays hold audio, and the call is answered when an agent is connected', async () => {
    const agent = await ada();
    const queue = await answering([agent]);
    const { callId, legId } = await ring(await fixture.line({ inboundQueueId: queue.id }));
    await media.hears(callId, legId, holds);
    const before = await fixture.db.call.findUniqueOrThrow({ where: { id: callId } });
    expect(before).toMatchObject({ status: 'RINGING', answeredAt: null, queueId: queue.id });
    expect(before.queuedAt).not.toBeNull();
    expect(await fixture.db.callLeg.findFirstOrThrow({ where: { callId, type: 'CUSTOMER' } })).toMatchObject({
      state: 'CONNECTED',
    });
    expect(await fixture.eventsOf(callId)).not.toContain('call.answered');
    const app = await fixture.app(node, agent.ref);
    await talk(app, callId);
    await app.ask('call:hangup', { callId });
    const ended = await fixture.ended(callId);
    expect(ended).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'AGENT' });
    expect(Number(ended.answeredAt)).toBeGreaterThan(Number(ended.queuedAt));
    expect(await fixture.eventsOf(callId)).toEqual([
      'call.created',
      'call.ringing',
      'call.answered',
      'call.ended',
    ]);
    app.close();
  });

  test('announces the position and offers a callback without an IVR flow', async () => {
    const queue = await answering([], { announcePosition: true, callbackKey: '1' });
    const { callId, legId } = await ring(await fixture.line({ inboundQueueId: queue.id }));
    await media.hears(callId, legId, says('you-are-number'));
    await media.pressed(callId, legId, '1');
    const goodbye = await media.hears(callId, legId, says('we-will-call-you-back'));
    await media.played(callId, legId, playIdOf(goodbye));
    expect(await fixture.ended(callId)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CUSTOMER',
    });
    const back = await fixture.until(
      async () => (await fixture.db.call.findUnique({ where: { callbackOf: callId } })) ?? undefined,
      'the callback',
    );
    await fixture.terminate(back.id);
  });

  test('offers no callback to a caller without a number that may be called', async () => {
    const queue = await answering([], { announcePosition: true, callbackKey: '1' });
    const { callId, legId } = await ring(await fixture.line({ inboundQueueId: queue.id }), 'anonymous');
    const heard = await media.hears(callId, legId, says('you-are-number'));
    expect(wordsOf(heard)).not.toContain('to-be-called-back');
    await media.pressed(callId, legId, '1');
    expect(await fixture.logOf(callId)).not.toContain('CALLBACK_ASKED');
    await fixture.terminate(callId);
  });
});

test('an agent of two queues gets the calls of both in the order of their age', async () => {
  const agent = await ada();
  const queues = [await fixture.queue([agent]), await fixture.queue([agent])];
  const [first, second] = await Promise.all(queues.map(({ id }) => fixture.line({ inboundQueueId: id })));
  if (!first || !second) throw new Error('no lines');
  const order = [];
  for (const line of [second, first, first, second]) order.push((await ring(line)).callId);
  const app = await fixture.app(node, agent.ref);
  for (const callId of order) {
    await app.next('call:incoming', ({ call }) => call.callId === callId);
    expect(app.received.filter(({ name }) => name === 'call:incoming')).toHaveLength(
      order.indexOf(callId) + 1,
    );
    await app.ask('call:decline', { callId });
  }
  for (const callId of order) await fixture.terminate(callId);
  app.close();
});

test('while the dispatch of one queue hangs, others are still dispatched periodically', async () => {
  const locked = await ada();
  const app = await fixture.app(node, locked.ref);
  const unlock = await fixture.lockAgent(locked);
  const calls = [await ring(await fixture.line({ inboundQueueId: (await fixture.queue([locked])).id }))];
  // The second one is dispatched after a sweep that found the queue whose dispatch hangs.
  for (let count = 0; count < 2; count += 1) {
    const agent = await ada({ shift: 'OFFLINE' });
    const other = await fixture.app(node, agent.ref);
    calls.push(await ring(await fixture.line({ inboundQueueId: (await fixture.queue([agent])).id })));
    // Nothing is notified of this: only a sweep finds it.
    await fixture.db.agent.update({ where: { id: agent.id }, data: { shift: 'AVAILABLE' } });
    await other.next('call:incoming');
    other.close();
  }
  await unlock();
  await app.next('call:incoming');
  app.close();
  for (const { callId } of calls) await fixture.terminate(callId);
});
