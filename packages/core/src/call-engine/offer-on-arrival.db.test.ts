/** A call that finds an idle agent and nobody waiting is offered in the step that creates it; every other call waits for a dispatch. */
import type { Database, Prisma } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CentreRows } from './__fixtures__/centre-rows.ts';
import { pagesOf } from './__fixtures__/pages-of.ts';
import { dispatchQueue } from './dispatch.ts';
import { stepCall } from './step-call.ts';
import { StepMemory } from './step-memory.ts';

let testDatabase: TestDatabase;
let db: Database;
let centre: CentreRows;
let memory: StepMemory;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
});
afterAll(() => testDatabase.drop());
beforeEach(async () => {
  centre = await CentreRows.create(db);
  memory = new StepMemory();
});

const lineOf = (queueId: number, mayOffer = true) =>
  centre.line(queueId, { memory, offerTime: () => (mayOffer ? new Date() : null) });

async function outcomeOf(callId: number) {
  const { waitingQueueId, ringing } = await db.liveCall.findUniqueOrThrow({ where: { callId } });
  const rows = await db.agent.findMany({ where: { currentCallId: callId }, orderBy: { id: 'asc' } });
  const [entry, ...others] = await db.engineOutbox.findMany({ where: { callId } });
  expect(others).toEqual([]);
  const effects = entry?.effects as { kind: string; agentId?: number }[];
  return {
    waitingQueueId,
    ringing,
    reserved: rows.map(({ id }) => id),
    effects: effects.map(({ kind }) => kind),
  };
}

const waiting = (queueId: number) => ({
  waitingQueueId: queueId,
  ringing: false,
  reserved: [],
  effects: ['dispatch', 'board'],
});
const rings = (queueId: number, agentIds: number[]) => ({
  waitingQueueId: queueId,
  ringing: true,
  reserved: agentIds,
  effects: [...agentIds.map(() => 'notify-agent'), 'board'],
});

const hangUp = (callId: number) =>
  stepCall(db, callId, { type: 'terminate' }, new Date(), { runsEffects: true, memory });

describe('a call to a queue in which nobody waits', () => {
  test('is offered to the longest idle agent by its first commit, with both events', async () => {
    const agentIds = await centre.agents(5);
    const queueId = await centre.queue(agentIds);
    const callId = await (await lineOf(queueId))();
    expect(await outcomeOf(callId)).toEqual(rings(queueId, agentIds.slice(0, 1)));
    const events = await db.event.findMany({ where: { callId }, orderBy: { sequence: 'asc' } });
    expect(events.map(({ type }) => type)).toEqual(['call.created', 'call.ringing']);
    const [created, ringing] = events.map(({ occurredAt }) => occurredAt.getTime());
    expect(ringing).toBeGreaterThan(created ?? Infinity);
    const log = await db.callLifecycle.findMany({ where: { callId }, orderBy: { id: 'asc' } });
    expect(log.map(({ type }) => type)).toEqual(['CREATED', 'QUEUED', 'OFFERED']);
    const call = await db.call.findUniqueOrThrow({ where: { id: callId } });
    expect(call).toMatchObject({ status: 'RINGING', queueId });
    expect((await db.liveCall.findUniqueOrThrow({ where: { callId } })).version).toBe(0);
  });

  test('goes on like any other: it is accepted by the agent whom it rings', async () => {
    const [agentId = 0] = await centre.agents(1);
    const callId = await (await lineOf(await centre.queue([agentId])))();
    const accept = { type: 'accept', agentId, deviceId: 'd', legId: crypto.randomUUID() } as const;
    const stepped = await stepCall(db, callId, accept, new Date(), { runsEffects: true, memory });
    expect(stepped).toMatchObject({ kind: 'stepped', state: { phase: 'connecting', agent: { agentId } } });
  });

  test('rings the lowest priority number of a PRIORITY queue', async () => {
    const [first = 0, second = 0] = await centre.agents(2);
    const queueId = await centre.queue([first, second], { strategy: 'PRIORITY' });
    await db.queueMember.updateMany({ where: { queueId, agentId: first }, data: { priority: 2 } });
    const callId = await (await lineOf(queueId))();
    expect(await outcomeOf(callId)).toEqual(rings(queueId, [second]));
  });

  test('rings everyone of a RING_ALL queue', async () => {
    const agentIds = await centre.agents(6);
    const queueId = await centre.queue(agentIds, { strategy: 'RING_ALL' });
    const callId = await (await lineOf(queueId))();
    const everyone = rings(queueId, agentIds);
    // It is dispatched too, for agents who have become idle since the queue was read.
    expect(await outcomeOf(callId)).toEqual({ ...everyone, effects: ['dispatch', ...everyone.effects] });
  });

  test('rings for its whole time, however long the decision waited for earlier ones', async () => {
    const agentIds = await centre.agents(1);
    const queueId = await centre.queue(agentIds, { ringTimeoutSeconds: 5 });
    const at = new Date(Date.now() + 3_500);
    const callId = await (await centre.line(queueId, { memory, offerTime: () => at }))();
    const { state } = await db.liveCall.findUniqueOrThrow({ where: { callId } });
    expect(state).toMatchObject({ offers: [{ offeredAt: at.getTime(), expiresAt: at.getTime() + 5_000 }] });
    const call = await db.call.findUniqueOrThrow({ where: { id: callId } });
    expect(call.ringingAt).toEqual(at);
    expect(call.createdAt.getTime()).toBeLessThan(at.getTime());
  });

  test('rings a connected agent before one who must be woken, who is woken if there is no other', async () => {
    const [asleep = 0] = await centre.agents(1, { wakeable: true });
    await db.agentConnection.deleteMany({ where: { agentId: asleep } });
    const [connected = 0] = await centre.agents(1, { idleSince: new Date() });
    const queueId = await centre.queue([asleep, connected]);
    const ring = await lineOf(queueId);
    expect(await outcomeOf(await ring())).toEqual(rings(queueId, [connected]));
    const second = await ring();
    expect(await outcomeOf(second)).toEqual(rings(queueId, [asleep]));
    const { state } = await db.liveCall.findUniqueOrThrow({ where: { callId: second } });
    expect(state).toMatchObject({ offers: [{ agentId: asleep, waking: true }] });
  });
});

describe('a call waits for a dispatch', () => {
  test.each<[string, (agentIds: number[]) => Promise<number>, boolean]>([
    ['if the process has undispatched calls', (agentIds) => centre.queue(agentIds), false],
    [
      'if the queue limits its active calls',
      (agentIds) => centre.queue(agentIds, { maxActiveCalls: 5 }),
      true,
    ],
    [
      'if no member is idle',
      async (agentIds) => {
        await db.agent.updateMany({ where: { id: { in: agentIds } }, data: { shift: 'OFFLINE' } });
        return centre.queue(agentIds);
      },
      true,
    ],
    [
      'if its tenant is suspended',
      async (agentIds) => {
        await db.tenant.update({ where: { id: centre.tenantId }, data: { status: 'SUSPENDED' } });
        return centre.queue(agentIds);
      },
      true,
    ],
  ])('%s', async (_, queueOf, mayOffer) => {
    const queueId = await queueOf(await centre.agents(2));
    const callId = await (await lineOf(queueId, mayOffer))();
    expect(await outcomeOf(callId)).toEqual(waiting(queueId));
  });

  test('if another one waits, which is offered first', async () => {
    const [agentId = 0] = await centre.agents(1);
    const queueId = await centre.queue([agentId]);
    const older = await (await lineOf(queueId, false))();
    const callId = await (await lineOf(queueId))();
    expect(await outcomeOf(callId)).toEqual(waiting(queueId));
    await dispatchQueue(db, queueId, new Date());
    expect((await db.agent.findUniqueOrThrow({ where: { id: agentId } })).currentCallId).toBe(older);
  });

  test('if one waits in another queue of the agent', async () => {
    const agentIds = await centre.agents(1);
    const [queueId, elsewhere] = [await centre.queue(agentIds), await centre.queue(agentIds)];
    await (
      await lineOf(elsewhere, false)
    )();
    const callId = await (await lineOf(queueId))();
    expect(await outcomeOf(callId)).toEqual(waiting(queueId));
  });

  test('if one rings in a RING_ALL queue of the agent, to which they are to be added', async () => {
    const [early = 0] = await centre.agents(1);
    const everyone = await centre.queue([early], { strategy: 'RING_ALL' });
    const ring = await lineOf(everyone);
    const ringing = await ring();
    const late = await centre.agents(1);
    await db.queueMember.create({ data: { queueId: everyone, agentId: late[0] ?? 0 } });
    const queueId = await centre.queue(late);
    expect(await outcomeOf(await (await lineOf(queueId))())).toEqual(waiting(queueId));
    expect(await outcomeOf(await ring())).toEqual(waiting(everyone));
    expect(await outcomeOf(ringing)).toMatchObject({ reserved: [early] });
  });
});

describe('what this process remembers of an agent', () => {
  test('an agent with a call is skipped, and is offered one again after another process has released them', async () => {
    const [first = 0, second = 0] = await centre.agents(2);
    const queueId = await centre.queue([first, second]);
    const ring = await lineOf(queueId);
    const earlier = await ring();
    expect(await outcomeOf(await ring())).toEqual(rings(queueId, [second]));
    await stepCall(db, earlier, { type: 'terminate' }, new Date());
    expect(await outcomeOf(await ring())).toEqual(rings(queueId, [first]));
  });

  test.each<[string, Prisma.AgentUpdateInput]>([
    ['whose row has changed', { name: 'Other' }],
    [
      'whose devices have changed',
      { connections: { create: { socketId: 's', deviceId: 'e', nodeId: 'n' } } },
    ],
  ])('an agent %s is not rung by what it says: the call waits, and a dispatch offers it', async (_, data) => {
    const [agentId = 0] = await centre.agents(1);
    const queueId = await centre.queue([agentId]);
    const ring = await lineOf(queueId);
    await hangUp(await ring());
    await db.agent.update({ where: { id: agentId }, data });
    const callId = await ring();
    expect(await outcomeOf(callId)).toEqual(waiting(queueId));
    await dispatchQueue(db, queueId, new Date());
    expect((await db.agent.findUniqueOrThrow({ where: { id: agentId } })).currentCallId).toBe(callId);
  });

  test('an agent whose row another transaction has locked is not waited for', async () => {
    const [agentId = 0] = await centre.agents(1);
    const queueId = await centre.queue([agentId]);
    const ring = await lineOf(queueId);
    const callId = await db.$transaction(async (tx) => {
      await tx.agent.update({ where: { id: agentId }, data: { name: 'Other' } });
      return ring();
    });
    expect(await outcomeOf(callId)).toEqual(waiting(queueId));
  });

  test('calls that arrive together ring different agents, and one without an agent waits', async () => {
    const agentIds = await centre.agents(4);
    const queueId = await centre.queue(agentIds);
    const ring = await lineOf(queueId);
    const callIds = await Promise.all(Array.from({ length: 6 }, () => ring()));
    await dispatchQueue(db, queueId, new Date());
    const reserved = await db.agent.findMany({ where: { id: { in: agentIds } } });
    const rung = reserved.map(({ currentCallId }) => currentCallId);
    expect(new Set(rung).size).toBe(4);
    for (const callId of rung) expect(callIds).toContain(callId);
    expect(await db.liveCall.count({ where: { waitingQueueId: queueId, ringing: false } })).toBe(2);
  });
});

describe('the cost of reading an idle queue', () => {
  const pages = (queueId: number) => pagesOf(db, 'select idle_queue($1::int, 4)', [queueId]);

  test('is the same with 10 and 1,000 connected agents, idle or on a call', async () => {
    const agentIds = await centre.agents(10);
    const ten = await centre.queue(agentIds);
    const few = await pages(ten);
    const others = await centre.agents(990);
    const all = await centre.queue([...agentIds, ...others]);
    expect(await pages(all)).toBeLessThanOrEqual(few + 20);
    await db.agent.updateMany({ where: { id: { in: others } }, data: { currentCallId: 1 } });
    expect(await pages(all)).toBeLessThanOrEqual(few + 20);
  });

  test('is the same with 10 and 2,000 calls that ring or wait', async () => {
    const agentIds = await centre.agents(2);
    const queueId = await centre.queue(agentIds);
    const first = await (await lineOf(queueId))();
    await centre.copies(first, 9);
    const before = await pages(queueId);
    await centre.copies(first, 1_990);
    expect(await pages(queueId)).toBeLessThanOrEqual(before + 20);
    await db.$executeRaw`update "LiveCall" set "state" = "state" - 'offers' where "waitingQueueId" = ${queueId}`;
    expect(await pages(queueId)).toBeLessThanOrEqual(before + 20);
  });
});
