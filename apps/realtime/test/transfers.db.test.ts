import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Agent } from '@clarion/db';
import { legEndOf, legStatsOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { Realtime } from '../src/server.ts';
import type { AppSocket } from './app-socket.ts';
import { RealtimeFixture } from './fixture.ts';

let fixture: RealtimeFixture;
let node: Realtime & { url: string };
let other: Realtime & { url: string };
let media: FakeMedia;
let counter = 0;

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  node = await fixture.startNode();
  other = await fixture.startNode();
  media = await fixture.media([node, other]);
});
afterAll(() => fixture.close());

/** The agent who has the call, and a colleague who is connected to the other node. */
let from: { agent: Agent; app: AppSocket };
let to: { agent: Agent; app: AppSocket };
let callId: number;
let customerLeg: string;

const person = async (name: string, where = node) => {
  const agent = await fixture.agent(`${name}-${++counter}`, { shift: 'AVAILABLE' });
  return { agent, app: await fixture.app(where, agent.ref) };
};
const told = (app: AppSocket, name: string) => app.received.filter((one) => one.name === name);

beforeEach(async () => {
  from = await person('from');
  const queue = await fixture.queue([from.agent], { wrapUpSeconds: 0 });
  const line = await fixture.line({ inboundQueueId: queue.id });
  const { answer, question } = await media.invite({ requestUser: line.address.slice(1) });
  if (answer.action !== 'accept') throw new Error('refused');
  callId = answer.callId;
  customerLeg = question.legId;
  await from.app.next('call:incoming');
  await from.app.ask('call:accept', { callId, sdpOffer: 'offer' });
  await from.app.next('call:updated', ({ call }) => call.answeredAt !== null);
  from.app.clearReceived();
  to = await person('to', other);
  return async () => {
    await fixture.terminate(callId);
    from.app.close();
    to.app.close();
  };
});

const logOf = async () => {
  const rows = await fixture.db.callLifecycle.findMany({ where: { callId }, orderBy: { id: 'asc' } });
  return rows.map(({ type, agentId, metadata }) => ({ type, agentId, metadata }));
};
const held = async (agent: Agent) => (await fixture.agentRow(agent.id)).currentCallId;
const transfer = () => from.app.ask('call:transfer', { callId, agentId: to.agent.id });
const heardBy = (legId: string, kind: string) => (payload: { route: Record<string, { kind: string }[]> }) =>
  payload.route[legId]?.some((source) => source.kind === kind) ?? false;

describe('to a colleague', () => {
  test('rings the colleague, who gets the customer when they answer, and the first agent is released', async () => {
    const reply = await transfer();
    expect(reply.call).toMatchObject({
      state: 'active',
      transfer: { to: { kind: 'agent', agentId: to.agent.id, name: to.agent.ref } },
    });
    await media.command('call:route', callId, heardBy(customerLeg, 'tone'));
    const incoming = await to.app.next('call:incoming');
    expect(incoming).toMatchObject({
      assignmentType: 'TRANSFER',
      call: {
        callId,
        state: 'incoming',
        assignmentType: 'TRANSFER',
        deviceId: null,
        transfer: null,
        transferredBy: { agentId: from.agent.id, name: from.agent.ref },
      },
    });
    const accepted = await to.app.ask('call:accept', { callId, sdpOffer: 'mine' });
    expect(accepted).toMatchObject({ sdpAnswer: 'answer to mine', call: { state: 'active' } });

    const left = await from.app.next('call:ended');
    expect(left.call).toMatchObject({ callId, state: 'ended', terminationReason: null });
    const theirs = await to.app.next('call:updated');
    expect(theirs.call).toMatchObject({
      state: 'active',
      assignmentType: 'TRANSFER',
      deviceId: 'device-1',
      held: false,
      transferredBy: { agentId: from.agent.id },
    });
    expect(await fixture.agentRow(from.agent.id)).toMatchObject({ currentCallId: null, onCall: false });
    expect(await fixture.agentRow(to.agent.id)).toMatchObject({ currentCallId: callId, onCall: true });
    // One agent leg is left: the new one.
    const legs = await media.until(
      () => (media.legsOf(callId).length === 2 ? media.legsOf(callId) : undefined),
      'the first agent leg to go',
    );
    const newLeg = legs.find(({ kind }) => kind === 'agent')?.legId ?? '';
    await media.command('call:route', callId, heardBy(newLeg, 'leg'));

    await to.app.ask('call:hangup', { callId });
    expect(await fixture.ended(callId)).toMatchObject({
      agentRef: to.agent.ref,
      terminationReason: 'COMPLETED',
      terminatedBy: 'AGENT',
    });
    expect(await fixture.eventsOf(callId)).toEqual([
      'call.created',
      'call.ringing',
      'call.answered',
      'call.transferred',
      'call.ended',
    ]);
    expect(
      await fixture.db.callParticipant.findMany({ where: { callId }, orderBy: { id: 'asc' } }),
    ).toMatchObject([
      { kind: 'CUSTOMER', leaveReason: 'ENDED' },
      { kind: 'AGENT', agentId: from.agent.id, leaveReason: 'TRANSFERRED' },
      { kind: 'AGENT', agentId: to.agent.id, leaveReason: 'ENDED' },
    ]);
    const [row, ...more] = await fixture.db.callTransfer.findMany({ where: { callId } });
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      fromAgentId: from.agent.id,
      toAgentId: to.agent.id,
      toQueueId: null,
      initiatedByAgentId: from.agent.id,
      initiatedByType: 'AGENT',
    });
    expect(row?.acceptedAt).not.toBeNull();
    expect(await fixture.db.callLeg.findMany({ where: { callId, type: 'AGENT' } })).toMatchObject([
      { agentId: to.agent.id, state: 'DISCONNECTED' },
    ]);
    expect((await logOf()).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['TRANSFER_STARTED', 'OFFERED', 'ACCEPTED', 'TRANSFERRED', 'ENDED']),
    );
  });

  test('declined: the customer and the first agent hear each other again', async () => {
    await transfer();
    await to.app.next('call:incoming');
    await to.app.ask('call:decline', { callId });
    expect(await to.app.next('call:withdrawn')).toMatchObject({ reason: 'DECLINED' });
    const back = await from.app.next('call:updated', ({ call }) => call.transfer === null);
    expect(back.call).toMatchObject({ state: 'active', transferFailed: 'DECLINED' });
    await media.command('call:route', callId, heardBy(customerLeg, 'leg'));
    expect(await held(to.agent)).toBeNull();
    expect(await held(from.agent)).toBe(callId);
    expect(await logOf()).toContainEqual({
      type: 'TRANSFER_FAILED',
      agentId: from.agent.id,
      metadata: { reason: 'DECLINED', toAgentId: to.agent.id },
    });
  });

  test('cancelled: it stops ringing', async () => {
    await transfer();
    await to.app.next('call:incoming');
    const { call } = await from.app.ask('call:transfer-cancel', { callId });
    expect(call.transfer).toBeNull();
    expect(await to.app.next('call:withdrawn')).toMatchObject({ reason: 'CANCELLED' });
    expect(await held(to.agent)).toBeNull();
    await expect(from.app.ask('call:transfer-cancel', { callId })).rejects.toThrow('invalid_state');
  });

  test('whose audio fails: the call returns, and the offer does not count as missed', async () => {
    await transfer();
    await to.app.next('call:incoming');
    await expect(to.app.ask('call:accept', { callId, sdpOffer: 'no SDP at all' })).rejects.toThrow(
      'invalid_request',
    );
    await from.app.next('call:updated', ({ call }) => call.transfer === null);
    expect(await fixture.agentRow(to.agent.id)).toMatchObject({ currentCallId: null, consecutiveMissed: 0 });
  });

  test('who reloads while it rings has the offer in their session', async () => {
    await transfer();
    const { expiresAt } = await to.app.next('call:incoming');
    to.app.close();
    await fixture.until(
      async () =>
        (await fixture.db.agentConnection.count({ where: { agentId: to.agent.id } })) === 0
          ? true
          : undefined,
      'the socket to go',
    );
    to.app = await fixture.app(other, to.agent.ref);
    const session = await to.app.next('session');
    expect(session.calls).toMatchObject([{ callId, state: 'incoming', assignmentType: 'TRANSFER' }]);
    expect(session.expiries[callId]).toBe(expiresAt);
    await to.app.ask('call:accept', { callId, sdpOffer: 'mine' });
    await from.app.next('call:ended');
  });

  test('deleted while it rings: the call returns', async () => {
    await transfer();
    await to.app.next('call:incoming');
    await fixture.db.agent.update({ where: { id: to.agent.id }, data: { deletedAt: new Date() } });
    await fixture.db.$executeRaw`select pg_notify('clarion_agent', ${String(to.agent.id)})`;
    await from.app.next('call:updated', ({ call }) => call.transfer === null);
    expect(await held(to.agent)).toBeNull();
  });

  test('the customer hangs up while it rings: the call ends for everyone', async () => {
    await transfer();
    await to.app.next('call:incoming');
    media.ended(callId, customerLeg, legEndOf('remote-bye'));
    await from.app.next('call:ended');
    expect(await to.app.next('call:withdrawn')).toMatchObject({ reason: 'CANCELLED' });
    expect(await fixture.ended(callId)).toMatchObject({
      terminatedBy: 'CUSTOMER',
      agentRef: from.agent.ref,
    });
    expect([await held(from.agent), await held(to.agent)]).toEqual([null, null]);
  });

  test('the first agent disconnects: the colleague still gets the caller', async () => {
    await transfer();
    await to.app.next('call:incoming');
    from.app.close();
    await fixture.until(
      async () => ((await logOf()).some(({ type }) => type === 'AGENT_LOST') ? true : undefined),
      'the first agent to be missed',
    );
    await to.app.ask('call:accept', { callId, sdpOffer: 'mine' });
    await to.app.next('call:updated', ({ call }) => call.transferredBy !== null);
    expect(await held(from.agent)).toBeNull();
  });

  test('a late fact about the leg of the first agent does not affect the new one', async () => {
    const firstLeg = media.legsOf(callId).find(({ kind }) => kind === 'agent')?.legId ?? '';
    await transfer();
    await to.app.next('call:incoming');
    media.statsOf = (kind) => (kind === 'agent' ? legStatsOf({ lostPackets: 7 }) : null);
    await to.app.ask('call:accept', { callId, sdpOffer: 'mine' });
    await from.app.next('call:ended');
    await to.app.ask('call:hangup', { callId });
    await fixture.ended(callId);
    const legs = () => fixture.db.callLeg.findMany({ where: { callId, type: 'AGENT' } });
    const kept = await fixture.until(async () => {
      const rows = await legs();
      return JSON.stringify(rows).includes('"lostPackets":7') ? rows : undefined;
    }, 'the figures of the new leg');
    await media.fact('leg:ended', {
      callId,
      legId: firstLeg,
      kind: 'agent',
      at: new Date().toISOString(),
      end: legEndOf('local'),
      stats: legStatsOf({ lostPackets: 8 }),
    });
    expect(await legs()).toEqual(kept);
    media.statsOf = () => null;
  });
});

describe('to a queue', () => {
  test('rings its agents one after the other, and counts against the queue', async () => {
    const second = await person('second');
    const queue = await fixture.queue([to.agent, second.agent], { strategy: 'PRIORITY' });
    const { call } = await from.app.ask('call:transfer', { callId, queueId: queue.id });
    expect(call.transfer).toMatchObject({ to: { kind: 'queue', queueId: queue.id, name: queue.name } });
    const incoming = await to.app.next('call:incoming');
    expect(incoming).toMatchObject({
      assignmentType: 'QUEUE',
      call: { queue: { ref: queue.ref }, transferredBy: { agentId: from.agent.id } },
    });
    await to.app.ask('call:decline', { callId });
    await second.app.next('call:incoming');
    await second.app.ask('call:accept', { callId, sdpOffer: 'mine' });
    await from.app.next('call:ended');
    const theirs = await second.app.next('call:updated');
    expect(theirs.call).toMatchObject({ assignmentType: 'QUEUE', queue: { ref: queue.ref } });
    expect(await fixture.db.liveCall.findUniqueOrThrow({ where: { callId } })).toMatchObject({
      activeQueueId: queue.id,
      waitingQueueId: null,
    });
    expect(await fixture.db.callTransfer.findMany({ where: { callId } })).toMatchObject([
      { toQueueId: queue.id, toAgentId: second.agent.id },
    ]);
    second.app.close();
  });

  test('waits until an agent is idle, and is offered then', async () => {
    await to.app.ask('availability:set', { status: 'OFFLINE' });
    const queue = await fixture.queue([to.agent]);
    await from.app.ask('call:transfer', { callId, queueId: queue.id });
    expect(await fixture.db.liveCall.findUniqueOrThrow({ where: { callId } })).toMatchObject({
      waitingQueueId: queue.id,
    });
    expect(told(to.app, 'call:incoming')).toEqual([]);
    await to.app.ask('availability:set', { status: 'AVAILABLE' });
    await to.app.next('call:incoming');
  });

  test('that assigned the call and is at its max_active_calls: it counts once, and is offered', async () => {
    const { queueId } = await fixture.db.call.findUniqueOrThrow({ where: { id: callId } });
    if (queueId === null) throw new Error('the call came through no queue');
    await fixture.db.queue.update({
      where: { id: queueId },
      data: { maxActiveCalls: 1, members: { create: { agentId: to.agent.id, priority: 1 } } },
    });
    await from.app.ask('call:transfer', { callId, queueId });
    await to.app.next('call:incoming');
    await to.app.ask('call:accept', { callId, sdpOffer: 'mine' });
    await from.app.next('call:ended');
  });

  test('whose maximum wait has passed returns the call', async () => {
    const queue = await fixture.queue([], { maxWaitSeconds: 1 });
    await from.app.ask('call:transfer', { callId, queueId: queue.id });
    await from.app.next('call:updated', ({ call }) => call.transfer === null);
    expect(await logOf()).toContainEqual({
      type: 'TRANSFER_FAILED',
      agentId: from.agent.id,
      metadata: { reason: 'QUEUE_TIMEOUT', toQueueId: queue.id },
    });
  });
});

describe('refused', () => {
  test('to oneself, to an unknown, disconnected or busy agent, twice, and by an agent who does not have the call', async () => {
    const ask = (target: { agentId: number } | { queueId: number }) =>
      from.app.ask('call:transfer', { callId, ...target });
    await expect(ask({ agentId: from.agent.id })).rejects.toThrow('invalid_request');
    await expect(ask({ agentId: 2_000_000_000 })).rejects.toThrow('invalid_request');
    await expect(ask({ agentId: 9_000_000_000 })).rejects.toThrow('invalid_request');
    await expect(ask({ queueId: 9_000_000_000 })).rejects.toThrow('invalid_request');
    const away = await fixture.agent(`away-${++counter}`);
    await expect(ask({ agentId: away.id })).rejects.toThrow('agent_unavailable');
    await expect(to.app.ask('call:transfer', { callId, agentId: from.agent.id })).rejects.toThrow(
      'agent_busy',
    );
    await fixture.db.agent.update({ where: { id: to.agent.id }, data: { currentCallId: 999_999 } });
    await expect(ask({ agentId: to.agent.id })).rejects.toThrow('agent_busy');
    await fixture.db.agent.update({ where: { id: to.agent.id }, data: { currentCallId: null } });
    expect((await logOf()).map(({ type }) => type)).not.toContain('TRANSFER_STARTED');
    await ask({ agentId: to.agent.id });
    const third = await person('third');
    await expect(ask({ agentId: third.agent.id })).rejects.toThrow('invalid_state');
    expect(await held(third.agent)).toBeNull();
    third.app.close();
  });
});

test('colleagues and queues are listed if the tenant has team_view enabled, and always for a supervisor', async () => {
  const asleep = await fixture.agent(`asleep-${++counter}`);
  const where = { id: asleep.id };
  await fixture.db.agent.update({ where, data: { shift: 'AVAILABLE', wakeable: true } });
  const queue = await fixture.queue([to.agent, asleep]);
  const settings = { teamView: false };
  await fixture.db.tenant.update({ where: { id: fixture.tenant.id }, data: { settings } });
  const listed = await from.app.ask('colleagues:list', {});
  expect(listed).toEqual({ ok: true, agents: [], queues: [] });
  await fixture.db.agent.update({ where: { id: from.agent.id }, data: { role: 'SUPERVISOR' } });
  const { agents, queues } = await from.app.ask('colleagues:list', {});
  expect(agents.find(({ agentId }) => agentId === to.agent.id)).toEqual({
    agentId: to.agent.id,
    agentRef: to.agent.ref,
    name: to.agent.name,
    connected: true,
    availability: 'AVAILABLE',
  });
  expect(agents.some(({ agentId }) => agentId === from.agent.id)).toBe(false);
  expect(queues.find(({ queueId }) => queueId === queue.id)).toEqual({
    queueId: queue.id,
    ref: queue.ref,
    name: queue.name,
    waiting: 0,
    available: 2,
  });
});
