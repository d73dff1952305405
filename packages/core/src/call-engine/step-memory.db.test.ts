/** Nodes that step calls from memory, while other nodes step them and other processes change the rows from which they step. */
import { randomUUID } from 'node:crypto';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import type { Database } from '@clarion/db';
import { inviteRequest } from '@clarion/testkit/peers/invite-request';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AGENTS, QUEUES } from '../call-machine/__fixtures__/beginnings.ts';
import { usual } from '../call-machine/__fixtures__/usual-events.ts';
import type { CallEvent } from '../call-machine/event.ts';
import { step } from '../call-machine/machine.ts';
import { loadStep } from '../call-store/load-step.ts';
import type { LoadedStep } from '../call-store/loaded.ts';
import { stepSqlOf } from '../call-store/step-sql.ts';
import { recordCallEvent } from '../event/record-event.ts';
import { presentCall } from '../call-record/present.ts';
import { carrierTrunk } from './__fixtures__/carrier-trunk.ts';
import { agentIdsIn } from './agent-ids-in.ts';
import { timeOfStep } from './commit.ts';
import { createInboundCall } from './create-inbound-call.ts';
import { dispatchQueues } from './dispatch.ts';
import { StepMemory } from './step-memory.ts';
import { applyStep, stepCall } from './step-call.ts';
import { parseState } from './stored.ts';

const NUMBER = '+442079460001';
const [QUEUE = 0] = QUEUES;
const [AGENT = 0] = AGENTS;

let testDatabase: TestDatabase;
let db: Database;
let tenantId: number;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  const consumer = await db.consumer.create({ data: { slug: 'acme', name: 'Acme', planCallsAtOnce: 1000 } });
  const tenant = await db.tenant.create({ data: { consumerId: consumer.id, ref: 't', name: 'T' } });
  tenantId = tenant.id;
  const trunk = await carrierTrunk(db, consumer.id);
  for (const id of AGENTS)
    await db.agent.create({ data: { id, tenantId, ref: `a${id}`, name: `A${id}`, shift: 'AVAILABLE' } });
  for (const id of QUEUES) {
    const members = { create: AGENTS.map((agentId) => ({ agentId })) };
    await db.queue.create({ data: { id, tenantId, ref: `q${id}`, name: `Q${id}`, members } });
  }
  const line = { tenantId, ref: 'main', type: 'SIP', address: NUMBER, sipTrunkId: trunk.id } as const;
  await db.channel.create({ data: { ...line, inboundQueueId: QUEUE } });
});
afterAll(() => testDatabase.drop());

/** No call is live, and every agent is idle and connected with one device. */
async function rest(): Promise<void> {
  await db.liveCall.deleteMany();
  const idle = { currentCallId: null, onCall: false, wrapUpUntil: null, shift: 'AVAILABLE' } as const;
  await db.agent.updateMany({ data: idle });
  await db.agentConnection.deleteMany();
  for (const agentId of AGENTS) await connect(agentId);
}

const connect = (agentId: number) =>
  db.agentConnection.create({
    data: { socketId: randomUUID(), agentId, deviceId: randomUUID(), nodeId: 'n' },
  });

async function arrive(memory: StepMemory): Promise<number> {
  const question = inviteRequest({ requestUser: NUMBER });
  const { answer } = await createInboundCall(
    { db, ingressDomain: null, nodeId: 'n', memory },
    question,
    new Date(),
  );
  if (answer.action !== 'accept') throw new Error(answer.reason);
  return answer.callId;
}

const offer = (memory: StepMemory) =>
  dispatchQueues(db, [QUEUE], {
    runsEffects: true,
    memory,
    clock: () => new Date(),
    onCommitted: () => undefined,
  });

/** A call that rings an agent, stepped by one node so far. @returns the agent */
async function ring(memory: StepMemory): Promise<{ callId: number; agentId: number }> {
  await rest();
  const callId = await arrive(memory);
  await offer(memory);
  const { id: agentId } = await db.agent.findFirstOrThrow({ where: { currentCallId: callId } });
  return { callId, agentId };
}

const on = (memory: StepMemory, callId: number, event: CallEvent, at = new Date()) =>
  stepCall(db, callId, event, at, { runsEffects: true, memory });

const accept = (agentId: number): CallEvent => ({
  type: 'accept',
  agentId,
  deviceId: 'd',
  legId: `leg-${agentId}`,
});
const load = (callId: number, agentIds: readonly number[] = []) =>
  loadStep(stepSqlOf(db).run, callId, agentIds);

/** The body of the call's latest event of a type. */
async function lastEvent(callId: number, type: string): Promise<unknown> {
  const event = await db.event.findFirstOrThrow({ where: { callId, type }, orderBy: { sequence: 'desc' } });
  return JSON.parse(event.body ?? '');
}

const inOrder = (rows: LoadedStep | null) =>
  rows && {
    ...rows,
    agents: rows.agents
      .map((agent) => ({ ...agent, deviceIds: agent.deviceIds.toSorted() }))
      .toSorted((a, b) => a.id - b.id),
  };

/** What other processes do to the rows from which a node steps. */
const changes = {
  nothing: async () => undefined,
  patched: (callId: number) =>
    db.call.updateMany({ where: { id: callId }, data: { externalRef: randomUUID() } }),
  erased: (callId: number) =>
    db.call.updateMany({ where: { id: callId }, data: { customerAddress: null, customerName: null } }),
  renamed: () => db.agent.updateMany({ data: { name: randomUUID() } }),
  connected: () => connect(AGENT),
  disconnected: () => db.agentConnection.deleteMany({ where: { agentId: AGENT } }),
  settings: () =>
    db.tenant.update({
      where: { id: tenantId },
      data: { settings: { autoOffline: { enabled: true, missedThreshold: 1 } } },
    }),
  eventRecorded: async (callId: number) => {
    const call = await db.call.findUniqueOrThrow({ where: { id: callId } });
    const data = { call: presentCall(call, 't', new Date()) };
    await db.$transaction((tx) =>
      recordCallEvent(tx, { type: 'call.ringing', call, tenantRef: 't', data, now: new Date() }),
    );
  },
};
type Change = keyof typeof changes;

test('from memory, every step does what it would do with the rows, whoever steps the call and changes the rows in between', async () => {
  const turn = fc.record({
    node: fc.nat(2),
    seed: fc.nat(1000),
    change: fc.oneof(
      { weight: 2, arbitrary: fc.constant<Change>('nothing') },
      { weight: 1, arbitrary: fc.constantFrom(...(Object.keys(changes) as Change[])) },
    ),
  });
  let fromMemory = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 4, maxLength: 20 }), async (turns) => {
      await rest();
      const nodes = [new StepMemory(), new StepMemory(), new StepMemory(0)] as const;
      const callId = await arrive(nodes[0]);
      await offer(nodes[0]);
      let at = Date.now();
      for (const { node, seed, change } of turns) {
        await changes[change](callId);
        const now = new Date((at += 1_000));
        const before = await load(callId);
        if (!before) break;
        const { state, flow, lastEventAt } = before.live;
        const event = usual(parseState(state), seed);
        const expected = step(parseState(state), event, timeOfStep(now, lastEventAt).getTime(), flow as null);
        const memory = nodes[node] ?? nodes[0];
        const stepped = await on(memory, callId, event, now);
        if (stepped.kind !== 'stepped') throw new Error('the call is not live');
        expect(stepped.state).toEqual(expected.state);
        const kept = memory.take(callId);
        if (!kept || !stepped.changed) continue;
        fromMemory += 1;
        const agentIds = [...agentIdsIn(event), ...kept.agents.map(({ id }) => id)];
        expect(inOrder(kept)).toEqual(inOrder(await load(callId, agentIds)));
        memory.keep(kept);
      }
      await on(nodes[1], callId, { type: 'terminate' });
      const types = (await db.event.findMany({ where: { callId } })).map(({ type }) => type);
      const count = (type: string) => types.filter((each) => each === type).length;
      expect([count('call.created'), count('call.ended')]).toEqual([1, 1]);
      expect(count('call.answered')).toBeLessThanOrEqual(1);
      expect(await db.agent.count({ where: { currentCallId: callId } })).toBe(0);
    }),
    { numRuns: 25 },
  );
  expect(fromMemory).toBeGreaterThan(20);
});

test('a storm of events on two nodes: one end, and no agent is left reserved', async () => {
  for (let round = 0; round < 5; round += 1) {
    const nodes = [new StepMemory(), new StepMemory()] as const;
    const { callId, agentId } = await ring(nodes[round % 2 === 0 ? 0 : 1]);
    const events: CallEvent[] = [
      accept(agentId),
      { type: 'leg-connected', legId: `leg-${agentId}`, codec: 'PCMA' },
      { type: 'decline', agentId },
      { type: 'hangup', agentId },
      { type: 'mute', agentId, muted: true },
      { type: 'tick' },
      { type: 'terminate' },
    ];
    await Promise.all(
      [...events, ...events, ...events].map((event, i) => on(nodes[i % 2 === 0 ? 0 : 1], callId, event)),
    );
    expect(await db.liveCall.count({ where: { callId } })).toBe(0);
    expect(await db.event.count({ where: { callId, type: 'call.ended' } })).toBe(1);
    expect(await db.agent.count({ where: { currentCallId: callId } })).toBe(0);
    expect(await on(nodes[0], callId, { type: 'tick' })).toEqual({ kind: 'not-live' });
  }
});

test('after a step of another node, an event that did not fit before is not lost', async () => {
  const [one, two] = [new StepMemory(), new StepMemory()];
  const { callId, agentId } = await ring(one);
  await on(two, callId, accept(agentId));
  // Node one remembers the call as ringing, where this leg is unknown.
  const connected: CallEvent = { type: 'leg-connected', legId: `leg-${agentId}`, codec: 'PCMA' };
  expect(await on(one, callId, connected)).toMatchObject({ kind: 'stepped', changed: true });
});

test('a call that ended on another node is not live', async () => {
  const [one, two] = [new StepMemory(), new StepMemory()];
  const { callId, agentId } = await ring(one);
  await on(two, callId, { type: 'terminate' });
  expect(await on(one, callId, accept(agentId))).toEqual({ kind: 'not-live' });
});

test('the next event shows what was changed since the last step: references, an erased customer, devices', async () => {
  const memory = new StepMemory();
  const { callId, agentId } = await ring(memory);
  await db.call.update({ where: { id: callId }, data: { externalRef: 'ticket-7', customerAddress: null } });
  await connect(agentId);
  await on(memory, callId, { type: 'terminate' });
  expect(await lastEvent(callId, 'call.ended')).toMatchObject({
    data: { call: { externalRef: 'ticket-7', customer: { address: null } } },
  });
});

test('the devices of an agent in an event are those that are connected', async () => {
  const memory = new StepMemory();
  const { callId, agentId } = await ring(memory);
  await on(memory, callId, accept(agentId));
  await connect(agentId);
  await on(memory, callId, { type: 'agent-removed', agentId });
  const event = await db.event.findFirstOrThrow({
    where: { type: 'agent.availability_changed' },
    orderBy: { id: 'desc' },
  });
  expect(JSON.parse(event.body ?? '')).toMatchObject({ data: { agent: { id: agentId, deviceCount: 2 } } });
});

test('settings of the tenant that were changed since the last step apply', async () => {
  await db.tenant.update({ where: { id: tenantId }, data: { settings: {} } });
  const memory = new StepMemory();
  const { callId, agentId } = await ring(memory);
  const autoOffline = { enabled: true, missedThreshold: 1 };
  await db.tenant.update({ where: { id: tenantId }, data: { settings: { autoOffline } } });
  await on(memory, callId, { type: 'tick' }, new Date(Date.now() + 60_000));
  expect(await db.agent.findUniqueOrThrow({ where: { id: agentId } })).toMatchObject({ shift: 'OFFLINE' });
});

test('a step in a transaction that is rolled back is not remembered', async () => {
  const memory = new StepMemory();
  const { callId, agentId } = await ring(memory);
  const rolledBack = db.$transaction(async (tx) => {
    await applyStep(tx, callId, accept(agentId), new Date(), { runsEffects: true, memory });
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(memory.take(callId)).toBeNull();
  expect(await on(memory, callId, { type: 'decline', agentId })).toMatchObject({ changed: true });
});

test('a queue call is loaded only when another process has changed it', async () => {
  const memory = new StepMemory();
  await rest();
  const callId = await arrive(memory);
  await db.$executeRaw`alter function load_step rename to load_step_unused`;
  try {
    await offer(memory);
    const { id: agentId } = await db.agent.findFirstOrThrow({ where: { currentCallId: callId } });
    await on(memory, callId, accept(agentId));
    expect(await on(memory, callId, { type: 'terminate' })).toMatchObject({ changed: true });
    expect(await on(memory, callId, { type: 'tick' })).toEqual({ kind: 'not-live' });
  } finally {
    await db.$executeRaw`alter function load_step_unused rename to load_step`;
  }
});

test('a call that ended in a transaction that is rolled back is still live', async () => {
  const memory = new StepMemory();
  const { callId } = await ring(memory);
  const rolledBack = db.$transaction(async (tx) => {
    await applyStep(tx, callId, { type: 'terminate' }, new Date(), { runsEffects: true, memory });
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await on(memory, callId, { type: 'terminate' })).toMatchObject({ changed: true });
});

test.each<[string, (agentId: number) => Promise<unknown>]>([
  ['is as their last call left them', async () => undefined],
  ['was renamed', (id) => db.agent.update({ where: { id }, data: { name: randomUUID() } })],
  [
    'has another device',
    async (agentId) => {
      await db.agentConnection.deleteMany({ where: { agentId } });
      await connect(agentId);
    },
  ],
])('an agent who %s is offered the next call', async (_, between) => {
  const memory = new StepMemory();
  const { callId, agentId } = await ring(memory);
  const others = AGENTS.filter((id) => id !== agentId);
  await db.agent.updateMany({ where: { id: { in: others } }, data: { shift: 'OFFLINE' } });
  await on(memory, callId, { type: 'terminate' });
  await between(agentId);
  const next = await arrive(memory);
  await offer(memory);
  expect(await db.agent.findUniqueOrThrow({ where: { id: agentId } })).toMatchObject({ currentCallId: next });
});
