/** Two processes on one database: the guarantees of the version, the conditional updates and the indexes. */
import { randomUUID } from 'node:crypto';
import type { Agent, Channel, Consumer, Database, Queue, Tenant } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import type { InviteRequest } from '@clarion/protocol/media';
import { inviteRequest } from '@clarion/testkit/peers/invite-request';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallEvent } from '../call-machine/event.ts';
import { waitOf } from '../call-machine/state.ts';
import { carrierTrunk } from './__fixtures__/carrier-trunk.ts';
import { createInboundCall } from './create-inbound-call.ts';
import { createOutboundIntent } from './begin.ts';
import { createCallback } from './callback.ts';
import { dispatchQueue } from './dispatch.ts';
import { AgentTaken } from './history.ts';
import { claimPending, returnPending, settlePending } from './outbox.ts';
import { ringAgent } from './ring-agent.ts';
import { stepCall } from './step-call.ts';
import { parseState } from './stored.ts';
import { agentDemand } from './agent-demand.ts';

let testDatabase: TestDatabase;
let one: Database;
let two: Database;
let consumer: Consumer;
let tenant: Tenant;
let trunkId: number;
let counter = 0;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  one = testDatabase.connect();
  two = testDatabase.connect();
  consumer = await one.consumer.create({ data: { slug: 'acme', name: 'Acme', planCallsAtOnce: 1000 } });
  tenant = await one.tenant.create({ data: { consumerId: consumer.id, ref: 't', name: 'T' } });
  const trunk = await carrierTrunk(one, consumer.id);
  trunkId = trunk.id;
});
afterAll(() => testDatabase.drop());

const makeAgent = (data = {}): Promise<Agent> => {
  const ref = `agent-${++counter}`;
  return one.agent.create({
    data: {
      tenantId: tenant.id,
      ref,
      name: ref,
      shift: 'AVAILABLE',
      connections: { create: { socketId: randomUUID(), deviceId: 'd', nodeId: 'n' } },
      ...data,
    },
  });
};
const makeQueue = (agents: Agent[], data = {}): Promise<Queue> => {
  const ref = `queue-${++counter}`;
  return one.queue.create({
    data: {
      tenantId: tenant.id,
      ref,
      name: ref,
      ...data,
      members: { create: agents.map(({ id }) => ({ agentId: id })) },
    },
  });
};
const makeLine = (data = {}): Promise<Channel> =>
  one.channel.create({
    data: {
      tenantId: tenant.id,
      ref: `line-${++counter}`,
      type: 'SIP',
      address: `+44207${String(counter).padStart(7, '0')}`,
      sipTrunkId: trunkId,
      ...data,
    },
  });

const question = (line: Channel) => inviteRequest({ requestUser: line.address });
const admit = (db: Database, asked: InviteRequest) =>
  createInboundCall({ db, ingressDomain: null, nodeId: 'n' }, asked, new Date());

async function inbound(line: Channel): Promise<number> {
  const { answer } = await admit(one, question(line));
  if (answer.action !== 'accept') throw new Error(answer.reason);
  return answer.callId;
}

const intent = (agent: Agent, line: Channel) =>
  one.$transaction((tx) =>
    createOutboundIntent(
      tx,
      {
        consumerId: consumer.id,
        tenantId: tenant.id,
        agent,
        channel: line,
        sipTrunkId: trunkId,
        customer: { address: '+447700900456', addressType: 'E164', name: null },
        record: false,
        pricing: { number: null, routes: [] },
        mediaPath: 'ROOM',
        dial: { trunkId, called: '447700900456', caller: '44', callerName: null },
        externalRef: null,
        consumerMetadata: null,
      },
      new Date(),
    ),
  );

const eventTypes = async (callId: number) =>
  (await one.event.findMany({ where: { callId }, orderBy: { sequence: 'asc' } })).map(({ type }) => type);

describe('steps of one call from two processes', () => {
  test('concurrently and in any order: one end, one call.ended, no event lost or duplicated', async () => {
    const agent = await makeAgent();
    const queue = await makeQueue([agent]);
    const callId = await inbound(await makeLine({ inboundQueueId: queue.id }));
    await dispatchQueue(one, queue.id, new Date());
    const end = {
      cause: 'remote-cancel',
      sipStatus: null,
      sipReason: null,
      q850: null,
      provisional: false,
      message: 'cancelled',
    } as const;
    const leg = await one.liveCall.findUniqueOrThrow({ where: { callId } });
    const { carrierLegId } = leg.state as { carrierLegId: string };
    const events: CallEvent[] = [
      { type: 'accept', agentId: agent.id, deviceId: 'd', legId: 'leg' },
      { type: 'decline', agentId: agent.id },
      { type: 'terminate' },
      { type: 'leg-ended', legId: carrierLegId, end, stats: null },
      { type: 'tick' },
    ];
    await Promise.all(
      [...events, ...events].map((event, index) =>
        stepCall(index % 2 ? one : two, callId, event, new Date()),
      ),
    );
    expect((await eventTypes(callId)).filter((type) => type === 'call.ended')).toHaveLength(1);
    expect(await one.call.findUniqueOrThrow({ where: { id: callId } })).toMatchObject({
      terminationReason: 'CANCELLED',
    });
    expect(await one.liveCall.count({ where: { callId } })).toBe(0);
    expect(await one.agent.findUniqueOrThrow({ where: { id: agent.id } })).toMatchObject({
      currentCallId: null,
    });
    const sequences = await one.event.findMany({ where: { callId }, select: { sequence: true } });
    expect(sequences.map(({ sequence }) => sequence).toSorted()).toEqual(
      sequences.map((_, index) => index + 1),
    );
  });

  test('a second call.ended cannot be inserted, even directly', async () => {
    const call = await intent(await makeAgent(), await makeLine());
    await stepCall(one, call.id, { type: 'terminate' }, new Date());
    const ended = await one.event.findFirstOrThrow({ where: { callId: call.id, type: 'call.ended' } });
    const { id: _, ...copy } = ended;
    await expect(one.event.create({ data: { ...copy, eventId: randomUUID() } })).rejects.toThrow(/Unique/);
  });

  test('an agent who is reserved by another call cannot start one, and the step changes nothing', async () => {
    const agent = await makeAgent();
    const line = await makeLine();
    const [first, second] = [await intent(agent, line), await intent(agent, line)];
    const start = { type: 'start', agentId: agent.id, deviceId: 'd', mediaNodeId: 'm' } as const;
    const outcomes = await Promise.allSettled([
      stepCall(one, first.id, { ...start, legId: 'a' }, new Date()),
      stepCall(two, second.id, { ...start, legId: 'b' }, new Date()),
    ]);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({ reason: expect.any(AgentTaken) as unknown });
    const rows = await one.liveCall.findMany({ where: { callId: { in: [first.id, second.id] } } });
    expect(rows.map(({ state }) => (state as { phase: string }).phase).toSorted()).toEqual([
      'dialing',
      'intent',
    ]);
    const loser = rows.find(({ state }) => (state as { phase: string }).phase === 'intent');
    expect(await one.callLifecycle.count({ where: { callId: loser?.callId ?? 0 } })).toBe(1);
  });
});

describe('dispatch from two processes', () => {
  test('agents of two queues are each offered one call, and every call that can ring rings', async () => {
    const agents = await Promise.all(Array.from({ length: 6 }, () => makeAgent()));
    const [left, right] = [await makeQueue(agents), await makeQueue(agents)];
    const [leftLine, rightLine] = [
      await makeLine({ inboundQueueId: left.id }),
      await makeLine({ inboundQueueId: right.id }),
    ];
    const callIds: number[] = [];
    for (const line of [leftLine, rightLine, leftLine, rightLine, leftLine, rightLine, leftLine, rightLine]) {
      callIds.push(await inbound(line));
    }
    const now = new Date();
    await Promise.all(
      [one, two, one, two].flatMap((db) => [
        dispatchQueue(db, left.id, now),
        dispatchQueue(db, right.id, now),
      ]),
    );
    const rows = await one.liveCall.findMany({ where: { callId: { in: callIds } } });
    const ringing = rows.flatMap(({ callId, state }) => {
      const { offers } = state as { offers?: { agentId: number }[] };
      return (offers ?? []).map(({ agentId }) => ({ callId, agentId }));
    });
    expect(new Set(ringing.map(({ agentId }) => agentId)).size).toBe(6);
    expect(ringing).toHaveLength(6);
    for (const { callId, agentId } of ringing) {
      expect(await one.agent.findUniqueOrThrow({ where: { id: agentId } })).toMatchObject({
        currentCallId: callId,
      });
    }
  });

  test('max_active_calls is never exceeded by concurrent dispatches', async () => {
    const agents = await Promise.all([makeAgent(), makeAgent(), makeAgent()]);
    const queue = await makeQueue(agents, { maxActiveCalls: 2 });
    const line = await makeLine({ inboundQueueId: queue.id });
    for (let count = 0; count < 3; count += 1) await inbound(line);
    await Promise.all([one, two, one, two].map((db) => dispatchQueue(db, queue.id, new Date())));
    expect(
      await one.agent.count({ where: { id: { in: agents.map(({ id }) => id) }, currentCallId: null } }),
    ).toBe(1);
  });
});

test('an agent whose audio fails is not on the call any more, and an event reports it', async () => {
  const agent = await makeAgent();
  const queue = await makeQueue([agent]);
  const callId = await inbound(await makeLine({ inboundQueueId: queue.id }));
  await dispatchQueue(one, queue.id, new Date());
  const legId = 'no-audio';
  await stepCall(one, callId, { type: 'accept', agentId: agent.id, deviceId: 'd', legId }, new Date());
  const failed = { type: 'command-failed', command: 'agent:connect', legId, message: 'no' } as const;
  await stepCall(one, callId, failed, new Date());
  const events = await one.event.findMany({
    where: { type: 'agent.availability_changed', body: { contains: agent.ref } },
    orderBy: { id: 'asc' },
  });
  const said = events.map(({ body }) => (JSON.parse(body) as { data: object }).data);
  expect(said).toMatchObject([
    { agent: { availability: 'ON_CALL' } },
    { agent: { availability: 'AVAILABLE' } },
  ]);
});

describe('a queue that was deleted while it was in the overflow chain of a call', () => {
  test('is left immediately by a call that overflows to it, whatever its maximum wait', async () => {
    const overflow = await makeQueue([], { maxWaitSeconds: null });
    const queue = await makeQueue([], { maxWaitSeconds: 5, overflowQueueId: overflow.id });
    const callId = await inbound(await makeLine({ inboundQueueId: queue.id }));
    await one.queue.delete({ where: { id: overflow.id } });
    const later = new Date(Date.now() + 6_000);
    await stepCall(one, callId, { type: 'tick' }, later);
    const live = await one.liveCall.findUniqueOrThrow({ where: { callId } });
    expect(live.waitingQueueId).toBe(overflow.id);
    expect(await dispatchQueue(one, overflow.id, later)).toMatchObject([{ callId }]);
    expect(await one.liveCall.count({ where: { callId } })).toBe(0);
    const call = await one.call.findUniqueOrThrow({ where: { id: callId } });
    expect(call).toMatchObject({ terminationReason: 'TIMEOUT', terminatedBy: 'SYSTEM' });
  });

  test('makes no callback', async () => {
    const queue = await makeQueue([]);
    const line = await makeLine({ inboundQueueId: queue.id });
    const callId = await inbound(line);
    const { state } = await one.liveCall.findUniqueOrThrow({ where: { callId } });
    await stepCall(one, callId, { type: 'terminate' }, new Date());
    await one.channel.update({ where: { id: line.id }, data: { inboundQueueId: null } });
    await one.queue.delete({ where: { id: queue.id } });
    const wait = waitOf(parseState(state));
    if (!wait) throw new Error('the call is not waiting');
    const made = await createCallback(one, { callId, wait, leaseNodeId: 'n' }, new Date());
    expect(made).toEqual({ kind: 'refused', reason: 'The queue no longer exists.' });
    expect(await one.callLifecycle.count({ where: { callId, type: 'CALLBACK_REFUSED' } })).toBe(1);
  });
});

test('a callback that the limit of concurrent calls prevents is recorded as refused', async () => {
  const line = await makeLine({ inboundQueueId: (await makeQueue([])).id });
  const callId = await inbound(line);
  const { state } = await one.liveCall.findUniqueOrThrow({ where: { callId } });
  const wait = waitOf(parseState(state));
  if (!wait) throw new Error('the call is not waiting');
  const endedAt = new Date();
  await stepCall(one, callId, { type: 'terminate' }, endedAt);
  const full = { where: { id: consumer.id }, data: { planCallsAtOnce: 0 } };
  await one.consumer.update(full);
  const after = (ms: number) =>
    createCallback(one, { callId, wait, leaseNodeId: 'n' }, new Date(endedAt.getTime() + ms));
  try {
    expect(await after(1_000)).toEqual({ kind: 'later' });
    expect(await after(110_000)).toMatchObject({ kind: 'refused' });
  } finally {
    await one.consumer.update({ ...full, data: { planCallsAtOnce: consumer.planCallsAtOnce } });
  }
  expect(await one.callLifecycle.count({ where: { callId, type: 'CALLBACK_REFUSED' } })).toBe(1);
});

describe('an INVITE that two nodes request concurrently', () => {
  test('is one call, and both get the same decision', async () => {
    const line = await makeLine({ inboundQueueId: (await makeQueue([])).id });
    const asked = question(line);
    const [first, second] = await Promise.all([admit(one, asked), admit(two, asked)]);
    expect(first.answer).toEqual(second.answer);
    expect(await one.call.count({ where: { inviteId: asked.inviteId } })).toBe(1);
  });

  test('of two concurrent callers of a personal line, one rings and the other waits until the owner is released', async () => {
    const owner = await makeAgent();
    const line = await makeLine({ ownerAgentId: owner.id });
    const answers = await Promise.all([admit(one, question(line)), admit(two, question(line))]);
    const callIds = answers.flatMap(({ answer }) => (answer.action === 'accept' ? [answer.callId] : []));
    const phases = async () => {
      const rows = await one.liveCall.findMany({ where: { callId: { in: callIds } } });
      return rows.map(({ state }) => parseState(state).phase).toSorted();
    };
    expect(await phases()).toEqual(['awaiting-owner', 'offering']);
    const { callIds: awaiting } = await agentDemand(one, owner.id);
    expect(callIds).toEqual(expect.arrayContaining(awaiting));
    const [next = 0] = awaiting;
    await stepCall(one, callIds.find((id) => id !== next) ?? 0, { type: 'terminate' }, new Date());
    const sought = await Promise.all([one, two].map((db) => ringAgent(db, next, owner.id, new Date())));
    expect(sought.filter((stepped) => stepped.kind === 'stepped' && stepped.changed)).toHaveLength(1);
    expect(await phases()).toEqual(['offering']);
    expect(await one.agent.findUnique({ where: { id: owner.id } })).toMatchObject({ currentCallId: next });
    expect((await agentDemand(one, owner.id)).callIds).toEqual([]);
  });
});

describe('the second caller of a personal line', () => {
  async function second() {
    const owner = await makeAgent();
    const line = await makeLine({ ownerAgentId: owner.id });
    const first = await inbound(line);
    const callId = await inbound(line);
    const seek = async () => {
      await ringAgent(one, callId, owner.id, new Date());
      const row = await one.liveCall.findUnique({ where: { callId } });
      return row && parseState(row.state).phase;
    };
    return { owner, first, callId, seek };
  }

  test('waits while the page of the owner reloads, and rings once it is back and the first call is over', async () => {
    const { owner, first, callId, seek } = await second();
    await one.agentConnection.deleteMany({ where: { agentId: owner.id } });
    expect(await seek()).toBe('awaiting-owner');
    await stepCall(one, first, { type: 'terminate' }, new Date());
    expect(await seek()).toBe('awaiting-owner');
    await one.agentConnection.create({
      data: { agentId: owner.id, socketId: randomUUID(), deviceId: 'd', nodeId: 'n' },
    });
    expect(await seek()).toBe('offering');
    expect(await one.agent.findUnique({ where: { id: owner.id } })).toMatchObject({ currentCallId: callId });
  });

  test.each([
    ['is on do-not-disturb', { doNotDisturb: true }, 'NO_ANSWER'],
    ['is deleted', { deletedAt: new Date() }, 'NO_ANSWER'],
    ['has answered the first call', { onCall: true }, 'BUSY'],
  ])('is rejected when the owner %s', async (_, data, terminationReason) => {
    const { owner, callId, seek } = await second();
    await one.agent.update({ where: { id: owner.id }, data });
    expect(await seek()).toBeNull();
    expect(await one.call.findUnique({ where: { id: callId } })).toMatchObject({ terminationReason });
  });
});

describe('the outbox', () => {
  test('lets one node at a time claim a row, another one after the claim expires, and none after it is settled', async () => {
    const line = await makeLine({ inboundQueueId: (await makeQueue([])).id });
    const callId = await inbound(line);
    await stepCall(one, callId, { type: 'terminate' }, new Date());
    const now = new Date();
    const claims = await Promise.all([claimPending(one, now), claimPending(two, now)]);
    const mine = claims.flat().filter((pending) => pending.callId === callId);
    expect(mine).toHaveLength(1);
    const [pending] = mine;
    if (!pending) return;
    expect(pending.effects).toContainEqual(
      expect.objectContaining({ kind: 'media', order: { command: 'call:release', status: 603 } }),
    );
    await returnPending(one, pending.outboxId, pending.effects.slice(0, 1), now);
    const later = new Date(now.getTime() + 1);
    const { outboxId: onlyId } = pending;
    expect(await claimPending(one, later, { onlyId, exceptIds: [0n, onlyId] })).toEqual([]);
    const [again] = await claimPending(two, later, { onlyId, exceptIds: [0n] });
    expect(again?.effects).toHaveLength(1);
    await settlePending(two, [onlyId]);
    expect(await claimPending(one, new Date(now.getTime() + 60_000), { onlyId })).toEqual([]);
  });
});
