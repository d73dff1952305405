import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { Agent, Channel, Prisma, Queue } from '@clarion/db';
import type { Source } from '@clarion/protocol/media';
import type { Realtime } from '../src/server.ts';
import type { AppSocket } from './app-socket.ts';
import { RealtimeFixture } from './fixture.ts';

let fixture: RealtimeFixture;
let node: Realtime & { url: string };
let media: FakeMedia;
let agents = 0;
let flows = 0;

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

/** A line whose flow answers and transfers callers to the queue, optionally for agents with these skills. */
async function answeringLine(queue: Queue, skills: string[] = []): Promise<Channel> {
  const line = await fixture.line({});
  const ref = `f${++flows}`;
  await fixture.db.ivrFlow.create({
    data: {
      tenantId: fixture.tenant.id,
      ref,
      name: ref,
      channelId: line.id,
      structure: {
        nodes: [
          { id: 's', type: 'ivr_start', data: {} },
          { id: 'q', type: 'ivr_transfer', data: { targetType: 'queue', targetId: queue.id, skills } },
        ],
        edges: [{ source: 's', target: 'q' }],
      },
      queues: { create: [{ queueId: queue.id }] },
    },
  });
  return line;
}

async function talk(app: AppSocket, callId: number): Promise<void> {
  await app.next('call:incoming', ({ call }) => call.callId === callId);
  await app.ask('call:accept', { callId, sdpOffer: 'offer' });
  await app.next('call:updated', ({ call }) => call.callId === callId && call.answeredAt !== null);
}

const wordsOf = (sources: Source[]): string[] =>
  sources.flatMap((source) =>
    source.kind === 'audio' ? source.clips.flatMap((clip) => ('word' in clip ? [clip.word] : [])) : [],
  );
const says = (word: string) => (sources: Source[]) => wordsOf(sources).includes(word);
const playIdOf = ([source]: Source[]): string => (source?.kind === 'audio' ? source.playId : '');
const holds = ([source]: Source[]) => source?.kind === 'tone' && source.tone === 'hold';
const logOf = async (callId: number) =>
  (await fixture.db.callLifecycle.findMany({ where: { callId }, orderBy: { id: 'asc' } })).map(
    ({ type }) => type,
  );

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
    const line = await answeringLine(queue, ['german', 'billing']);
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
    const line = await answeringLine(queue, ['german']);
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
    const line = await answeringLine(queue);
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
    const line = await answeringLine(queue, ['a skill without agents']);
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
    expect(await logOf(callId)).not.toContain('CALLBACK_ASKED');
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
    expect(await logOf(callId)).not.toContain('CALLBACK_ASKED');
    await fixture.terminate(callId);
  });
});

describe('a callback', () => {
  /** A caller requests a callback and hears the confirmation. */
  async function asked(more: Partial<Prisma.QueueUncheckedCreateInput> = {}, members: Agent[] = []) {
    const agent = members[0] ?? (await ada());
    const queue = await fixture.queue(members.length > 0 ? members : [agent], { callbackKey: '1', ...more });
    const line = await answeringLine(queue);
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
    expect(await logOf(callId)).toContain('CALLBACK_ASKED');
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
    const { callId, legId } = await ring(await answeringLine(queue));
    await media.hears(callId, legId, says('star'));
    await media.pressed(callId, legId, '**');
    await media.hears(callId, legId, says('we-will-call-you-back'));
    media.ended(callId, legId, legEndOf('remote-bye'));
    await fixture.ended(callId);
    const call = await fixture.until(
      async () => (await fixture.db.call.findUnique({ where: { callbackOf: callId } })) ?? undefined,
      'the callback',
    );
    expect((await logOf(callId)).filter((type) => type === 'CALLBACK_ASKED')).toHaveLength(1);
    await fixture.terminate(call.id);
  });

  test('is not offered to a caller without a number that may be called', async () => {
    const queue = await fixture.queue([], { callbackKey: '1', announcePosition: true });
    const { callId, legId } = await ring(await answeringLine(queue), 'anonymous');
    expect(wordsOf(await media.hears(callId, legId, says('you-are-number')))).toEqual([
      'you-are-number',
      '1',
      'in-the-queue',
    ]);
    await media.pressed(callId, legId, '1');
    expect(await logOf(callId)).not.toContain('CALLBACK_ASKED');
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
