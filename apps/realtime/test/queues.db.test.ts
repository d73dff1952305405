import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { Agent, Channel, Prisma, Queue } from '@clarion/db';
import type { Source } from '@clarion/protocol/media';
import type { Realtime } from '../src/server.ts';
import type { AppSocket } from './app-socket.ts';
import { World } from './world.ts';

let world: World;
let node: Realtime & { url: string };
let media: FakeMedia;
let agents = 0;
let flows = 0;

beforeAll(async () => {
  world = await World.create();
  node = await world.startNode();
  media = await world.media([node]);
});
afterAll(() => world.close());

/** How soon a waiting call must ring at an agent who became free. */
const PROMPTLY_MS = 1_000;

const ada = (more: Partial<Prisma.AgentUncheckedCreateInput> = {}) =>
  world.agent(`agent-${++agents}`, { shift: 'AVAILABLE', ...more });

const ring = (line: Channel, fromUser = '447700900123') =>
  media.ring({ requestUser: line.address.slice(1), fromUser });

/** A line whose flow answers and sends callers on to the queue, perhaps for agents with these skills. */
async function answeringLine(queue: Queue, skills: string[] = []): Promise<Channel> {
  const line = await world.line({});
  const ref = `f${++flows}`;
  await world.db.ivrFlow.create({
    data: {
      tenantId: world.tenant.id,
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
  (await world.db.callLifecycle.findMany({ where: { callId }, orderBy: { id: 'asc' } })).map(
    ({ type }) => type,
  );

describe('wrap-up', () => {
  async function afterACall(seconds: number) {
    const agent = await ada();
    const queue = await world.queue([agent], { wrapUpSeconds: seconds });
    const line = await world.line({ inboundQueueId: queue.id });
    const app = await world.app(node, agent.ref);
    const first = await ring(line);
    await talk(app, first.callId);
    app.forget();
    await app.ask('call:hangup', { callId: first.callId });
    const { agent: told } = await app.next(
      'agent:updated',
      ({ agent: { wrapUpUntil } }) => wrapUpUntil !== null,
    );
    const next = await ring(line);
    return { agent, app, next, endsAt: new Date(told.wrapUpUntil ?? 0).getTime() };
  }

  test('leaves the agent in peace for so long, tells the apps, and then rings at once', async () => {
    const { app, next, endsAt } = await afterACall(2);
    const { call } = await app.next('call:incoming');
    expect(call.callId).toBe(next.callId);
    expect(Date.now()).toBeGreaterThanOrEqual(endsAt);
    expect(Date.now() - endsAt).toBeLessThan(PROMPTLY_MS);
    await app.next('agent:updated', ({ agent }) => agent.wrapUpUntil === null);
    app.close();
  });

  test('is over when the agent says so', async () => {
    const { app, next } = await afterACall(600);
    expect(app.told.some(({ name }) => name === 'call:incoming')).toBe(false);
    const { agent } = await app.ask('wrapup:end', {});
    expect(agent.wrapUpUntil).toBeNull();
    expect((await app.next('call:incoming')).call.callId).toBe(next.callId);
    expect((await app.ask('wrapup:end', {})).agent.wrapUpUntil).toBeNull();
    app.close();
  });

  test('is over when the agent goes OFFLINE', async () => {
    const { app, agent } = await afterACall(600);
    const { agent: told } = await app.ask('availability:set', { status: 'OFFLINE' });
    expect(told).toMatchObject({ availability: 'OFFLINE', wrapUpUntil: null });
    expect((await world.agentRow(agent.id)).wrapUpUntil).toBeNull();
    app.close();
  });

  test('ends in time also when nobody but the row knows of it, as after a node has died', async () => {
    const agent = await ada();
    const queue = await world.queue([agent]);
    const line = await world.line({ inboundQueueId: queue.id });
    const until = new Date(Date.now() + 1_200);
    await world.db.agent.update({ where: { id: agent.id }, data: { wrapUpUntil: until } });
    const app = await world.app(node, agent.ref);
    const { callId } = await ring(line);
    await app.next('call:incoming', ({ call }) => call.callId === callId);
    expect(Date.now()).toBeGreaterThanOrEqual(until.getTime());
    expect(Date.now() - until.getTime()).toBeLessThan(PROMPTLY_MS);
    await world.terminate(callId);
    app.close();
  });

  test('follows no call that nobody answered, and none of a personal line', async () => {
    const agent = await ada();
    const queue = await world.queue([agent], { wrapUpSeconds: 600 });
    const line = await world.line({ inboundQueueId: queue.id });
    const own = await world.line({ ownerAgentId: agent.id });
    const app = await world.app(node, agent.ref);
    const unanswered = await ring(line);
    await app.next('call:incoming');
    media.ended(unanswered.callId, unanswered.legId, legEndOf('remote-cancel'));
    await world.ended(unanswered.callId);
    const personal = await ring(own);
    await talk(app, personal.callId);
    await app.ask('call:hangup', { callId: personal.callId });
    expect((await world.agentRow(agent.id)).wrapUpUntil).toBeNull();
    app.close();
  });
});

describe('skills', () => {
  const give = (queue: Queue, agent: Agent, skills: string[]) =>
    world.db.queueMember.update({
      where: { queueId_agentId: { queueId: queue.id, agentId: agent.id } },
      data: { skills },
    });

  test('a call that asks for skills rings only at agents who have them all', async () => {
    const [german, nobody] = [await ada(), await ada()];
    const queue = await world.queue([nobody, german], { strategy: 'RING_ALL' });
    await give(queue, german, ['billing', 'german']);
    await give(queue, nobody, ['german']);
    const line = await answeringLine(queue, ['german', 'billing']);
    const [without, having] = [await world.app(node, nobody.ref), await world.app(node, german.ref)];
    const { callId } = await ring(line);
    await talk(having, callId);
    expect(without.told.some(({ name }) => name === 'call:incoming')).toBe(false);
    await world.terminate(callId);
    having.close();
    without.close();
  });

  test('after skills_wait_seconds of the wait it rings at whoever there is, at once', async () => {
    const agent = await ada();
    const queue = await world.queue([agent], { skillsWaitSeconds: 2 });
    const line = await answeringLine(queue, ['german']);
    const app = await world.app(node, agent.ref);
    const { callId } = await ring(line);
    await app.next('call:incoming', ({ call }) => call.callId === callId);
    const { queuedAt } = await world.db.call.findUniqueOrThrow({ where: { id: callId } });
    const waited = Date.now() - Number(queuedAt);
    expect(waited).toBeGreaterThanOrEqual(2_000);
    expect(waited).toBeLessThan(2_000 + PROMPTLY_MS);
    await world.terminate(callId);
    app.close();
  });
});

describe('announcements', () => {
  test('tell callers whom a flow answered where they stand, again and again, between the hold audio', async () => {
    const queue = await world.queue([], {
      announcePosition: true,
      announceWait: true,
      announceEverySeconds: 1,
    });
    const line = await answeringLine(queue);
    const first = await ring(line);
    await media.hears(first.callId, first.legId, says('you-are-number'));
    const second = await ring(line);
    const heard = await media.hears(second.callId, second.legId, says('you-are-number'));
    // Nobody is there, so nobody can say how long it takes.
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
    // The caller before them gives up: the next time they are first.
    media.ended(first.callId, first.legId, legEndOf('remote-bye'));
    await media.hears(second.callId, second.legId, says('1'));
    await world.terminate(second.callId);
  });

  test('with members on shift also how long it may take', async () => {
    const agent = await ada();
    const queue = await world.queue([agent], { announceWait: true, callbackKey: '#' });
    const app = await world.app(node, agent.ref);
    const line = await answeringLine(queue, ['what nobody has']);
    const { callId, legId } = await ring(line);
    expect(wordsOf(await media.hears(callId, legId, says('estimated-wait')))).toEqual([
      ...['estimated-wait', 'about', '3', 'minutes', 'pause'],
      ...['press', 'hash', 'to-be-called-back'],
    ]);
    await world.terminate(callId);
    app.close();
  });

  test('nobody hears any before a flow has answered', async () => {
    const queue = await world.queue([], { announcePosition: true, callbackKey: '1' });
    const { callId, legId } = await ring(await world.line({ inboundQueueId: queue.id }));
    await media.pressed(callId, legId, '1');
    const live = await world.db.liveCall.findUniqueOrThrow({ where: { callId } });
    expect(live).toMatchObject({ waitingQueueId: queue.id, state: { wait: { announceAt: null } } });
    expect(await logOf(callId)).not.toContain('CALLBACK_ASKED');
    await world.terminate(callId);
  });
});

describe('a queue that answers while callers wait', () => {
  const answering = (members: Agent[], more: Partial<Prisma.QueueUncheckedCreateInput> = {}) =>
    world.queue(members, { answerWhileWaiting: true, ...more });

  test('answers the carrier, plays the hold audio, and the call is answered once an agent is heard', async () => {
    const agent = await ada();
    const queue = await answering([agent]);
    const { callId, legId } = await ring(await world.line({ inboundQueueId: queue.id }));
    await media.hears(callId, legId, holds);
    const before = await world.db.call.findUniqueOrThrow({ where: { id: callId } });
    expect(before).toMatchObject({ status: 'RINGING', answeredAt: null, queueId: queue.id });
    expect(before.queuedAt).not.toBeNull();
    expect(await world.db.callLeg.findFirstOrThrow({ where: { callId, type: 'CUSTOMER' } })).toMatchObject({
      state: 'CONNECTED',
    });
    expect(await world.eventsOf(callId)).not.toContain('call.answered');
    const app = await world.app(node, agent.ref);
    await talk(app, callId);
    await app.ask('call:hangup', { callId });
    const ended = await world.ended(callId);
    expect(ended).toMatchObject({ terminationReason: 'COMPLETED', terminatedBy: 'AGENT' });
    expect(Number(ended.answeredAt)).toBeGreaterThan(Number(ended.queuedAt));
    expect(await world.eventsOf(callId)).toEqual([
      'call.created',
      'call.ringing',
      'call.answered',
      'call.ended',
    ]);
    app.close();
  });

  test('announces the position and offers a call back without an IVR', async () => {
    const queue = await answering([], { announcePosition: true, callbackKey: '1' });
    const { callId, legId } = await ring(await world.line({ inboundQueueId: queue.id }));
    await media.hears(callId, legId, says('you-are-number'));
    await media.pressed(callId, legId, '1');
    const goodbye = await media.hears(callId, legId, says('we-will-call-you-back'));
    await media.played(callId, legId, playIdOf(goodbye));
    expect(await world.ended(callId)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CUSTOMER',
    });
    const back = await world.until(
      async () => (await world.db.call.findUnique({ where: { callbackOf: callId } })) ?? undefined,
      'the call back',
    );
    await world.terminate(back.id);
  });

  test('offers no call back to a caller who has no number that may be called', async () => {
    const queue = await answering([], { announcePosition: true, callbackKey: '1' });
    const { callId, legId } = await ring(await world.line({ inboundQueueId: queue.id }), 'anonymous');
    const heard = await media.hears(callId, legId, says('you-are-number'));
    expect(wordsOf(heard)).not.toContain('to-be-called-back');
    await media.pressed(callId, legId, '1');
    expect(await logOf(callId)).not.toContain('CALLBACK_ASKED');
    await world.terminate(callId);
  });
});

describe('a call back', () => {
  /** A caller asks to be called back and hears that they will be. */
  async function asked(more: Partial<Prisma.QueueUncheckedCreateInput> = {}, members: Agent[] = []) {
    const agent = members[0] ?? (await ada());
    const queue = await world.queue(members.length > 0 ? members : [agent], { callbackKey: '1', ...more });
    const line = await answeringLine(queue);
    const { callId, legId } = await ring(line);
    await media.hears(callId, legId, says('to-be-called-back'));
    await media.pressed(callId, legId, '1');
    const goodbye = await media.hears(callId, legId, says('we-will-call-you-back'));
    await media.played(callId, legId, playIdOf(goodbye));
    const ended = await world.ended(callId);
    const call = await world.until(
      async () => (await world.db.call.findUnique({ where: { callbackOf: callId } })) ?? undefined,
      'the call back',
    );
    return { agent, queue, line, callId, ended, call };
  }

  test('keeps the place of a caller who pressed the key, and reaches them when it is their turn', async () => {
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
    // Somebody who came later is behind them.
    const later = await ring(line);
    const app = await world.app(node, agent.ref);
    const incoming = await app.next('call:incoming');
    expect(incoming).toMatchObject({
      assignmentType: 'QUEUE',
      call: { callId: call.id, direction: 'OUTBOUND', state: 'incoming' },
    });
    await app.ask('call:accept', { callId: call.id, sdpOffer: 'offer' });
    const dial = await media.command('carrier:dial', call.id);
    expect(dial).toMatchObject({ called: '447700900123', caller: line.address.slice(1) });
    media.ringing(call.id, dial.legId);
    media.connected(call.id, dial.legId);
    const active = await app.next('call:updated', ({ call: { state } }) => state === 'active');
    expect(active.call).toMatchObject({
      callId: call.id,
      assignmentType: 'QUEUE',
      queue: { ref: queue.ref },
    });
    await app.ask('call:hangup', { callId: call.id });
    expect(await world.ended(call.id)).toMatchObject({
      terminationReason: 'COMPLETED',
      terminatedBy: 'AGENT',
      agentRef: agent.ref,
    });
    expect(await world.eventsOf(call.id)).toEqual([
      'call.created',
      'call.ringing',
      'call.answered',
      'call.ended',
    ]);
    await app.next('call:incoming', ({ call: { callId: id } }) => id === later.callId);
    await world.terminate(later.callId);
    app.close();
  });

  test('goes to the next agent when one declines or their audio does not come up, and never back to the decliner', async () => {
    const [first, second] = [await ada(), await ada()];
    const { call } = await asked({ strategy: 'PRIORITY', ringTimeoutSeconds: 30 }, [first, second]);
    const declining = await world.app(node, first.ref);
    await declining.next('call:incoming');
    await declining.ask('call:decline', { callId: call.id });
    const app = await world.app(node, second.ref);
    await app.next('call:incoming');
    app.forget();
    await expect(app.ask('call:accept', { callId: call.id, sdpOffer: 'no SDP at all' })).rejects.toThrow();
    expect((await app.next('call:ended')).call.callId).toBe(call.id);
    await app.next('call:incoming');
    await app.ask('call:accept', { callId: call.id, sdpOffer: 'offer' });
    const { legId } = await media.command('carrier:dial', call.id);
    media.ended(call.id, legId, legEndOf('no-answer-local'));
    // A customer who does not answer is not called again.
    expect(await world.ended(call.id)).toMatchObject({
      terminationReason: 'NO_ANSWER',
      terminatedBy: 'CUSTOMER',
    });
    expect(declining.told.filter(({ name }) => name === 'call:incoming')).toHaveLength(1);
    app.close();
    declining.close();
  });

  test('ends TIMEOUT when nobody takes it within max_wait_seconds, and CANCELLED when the consumer wants it', async () => {
    const { call } = await asked({ maxWaitSeconds: 2 });
    expect(await world.ended(call.id)).toMatchObject({
      terminationReason: 'TIMEOUT',
      terminatedBy: 'SYSTEM',
    });
    const other = await asked();
    await world.terminate(other.call.id);
    expect(await world.ended(other.call.id)).toMatchObject({
      terminationReason: 'CANCELLED',
      terminatedBy: 'CONSUMER',
    });
  });

  test('is made for a caller who hangs up before the sentence is over, but once', async () => {
    const queue = await world.queue([await ada()], { callbackKey: '*' });
    const { callId, legId } = await ring(await answeringLine(queue));
    await media.hears(callId, legId, says('star'));
    await media.pressed(callId, legId, '**');
    await media.hears(callId, legId, says('we-will-call-you-back'));
    media.ended(callId, legId, legEndOf('remote-bye'));
    await world.ended(callId);
    const call = await world.until(
      async () => (await world.db.call.findUnique({ where: { callbackOf: callId } })) ?? undefined,
      'the call back',
    );
    expect((await logOf(callId)).filter((type) => type === 'CALLBACK_ASKED')).toHaveLength(1);
    await world.terminate(call.id);
  });

  test('is not offered to a caller who has no number that may be called', async () => {
    const queue = await world.queue([], { callbackKey: '1', announcePosition: true });
    const { callId, legId } = await ring(await answeringLine(queue), 'anonymous');
    expect(wordsOf(await media.hears(callId, legId, says('you-are-number')))).toEqual([
      'you-are-number',
      '1',
      'in-the-queue',
    ]);
    await media.pressed(callId, legId, '1');
    expect(await logOf(callId)).not.toContain('CALLBACK_ASKED');
    await world.terminate(callId);
  });
});

test('an agent of two queues gets the calls of both in the order of their age', async () => {
  const agent = await ada();
  const queues = [await world.queue([agent]), await world.queue([agent])];
  const [first, second] = await Promise.all(queues.map(({ id }) => world.line({ inboundQueueId: id })));
  if (!first || !second) throw new Error('no lines');
  const order = [];
  for (const line of [second, first, first, second]) order.push((await ring(line)).callId);
  const app = await world.app(node, agent.ref);
  for (const callId of order) {
    await app.next('call:incoming', ({ call }) => call.callId === callId);
    expect(app.told.filter(({ name }) => name === 'call:incoming')).toHaveLength(order.indexOf(callId) + 1);
    await app.ask('call:decline', { callId });
  }
  for (const callId of order) await world.terminate(callId);
  app.close();
});
