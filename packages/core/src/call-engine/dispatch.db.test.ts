/** Dispatch on a real database: order, conflicts of two processes, and a cost that does not depend on what waits. */
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { planOffers } from '../queue-routing/plan.ts';
import { CentreRows } from './__fixtures__/centre-rows.ts';
import { pagesOf } from './__fixtures__/pages-of.ts';
import { dispatchQueue, dispatchQueues, queuesToDispatch } from './dispatch.ts';
import { offerCall } from './offer-call.ts';
import { FEW, LOAD_DISPATCH, readDispatch } from './dispatch-view.ts';
import { stepCall } from './step-call.ts';

let testDatabase: TestDatabase;
let db: Database;
let other: Database;
let centre: CentreRows;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  other = testDatabase.connect();
});
afterAll(() => testDatabase.drop());
beforeEach(async () => {
  centre = await CentreRows.create(db);
});

/** The offers in the order in which they were made. */
const offersOf = (callIds: number[]) =>
  db.callLifecycle.findMany({
    where: { callId: { in: callIds }, type: 'OFFERED' },
    orderBy: { id: 'asc' },
    select: { callId: true, agentId: true, occurredAt: true },
  });

describe('a surge', () => {
  test('is offered in order of arrival to the longest idle, no agent twice, by two processes', async () => {
    const agentIds = await centre.agents(25);
    const queueId = await centre.queue(agentIds);
    const ring = await centre.line(queueId);
    const first = await ring();
    const callIds = [first, ...(await centre.copies(first, 39))];
    await Promise.all([db, other, db].map((each) => dispatchQueue(each, queueId, new Date())));
    const offers = await offersOf(callIds);
    expect(offers.map(({ callId }) => callId)).toEqual(callIds.slice(0, 25));
    expect(offers.map(({ agentId }) => agentId)).toEqual(agentIds);
  });

  test('each offer is stored and announced before the next one, with the time at which it was made', async () => {
    const queueId = await centre.queue(await centre.agents(3));
    const first = await (await centre.line(queueId))();
    const callIds = [first, ...(await centre.copies(first, 2))];
    let clock = Date.now();
    const seen: number[] = [];
    await dispatchQueues(db, [queueId], {
      runsEffects: true,
      clock: () => new Date((clock += 60_000)),
      onCommitted: ({ callId }) => seen.push(callId),
    });
    expect(seen).toEqual(callIds);
    const times = (await offersOf(callIds)).map(({ occurredAt }) => occurredAt.getTime());
    for (const [index, at] of times.entries())
      if (index > 0) expect(at - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(60_000);
  });
});

describe('what changed since the queues were read', () => {
  /** Plans the offer of a call to the first of two agents, lets something happen, and makes the offer. */
  async function offerAfter(happens: (agentId: number, queueId: number) => Promise<unknown>) {
    const [first = 0, second = 0] = await centre.agents(2);
    const queueId = await centre.queue([first, second]);
    const callId = await (await centre.line(queueId))();
    const { queues } = await readDispatch(db, [queueId], new Date());
    const [offer] = planOffers(queues).offers;
    const [queue] = queues;
    if (!offer || !queue) throw new Error('nothing to offer');
    expect(offer.agentIds).toEqual([first]);
    await happens(first, queueId);
    const { kind } = await offerCall(db, queue, offer, () => new Date(), { runsEffects: true });
    const offeredTo = (await offersOf([callId])).map(({ agentId }) => agentId);
    const reserved = await db.agent.count({ where: { currentCallId: callId } });
    return { kind, offeredTo, reserved, first, second };
  }

  test.each<[string, (id: number) => Promise<unknown>]>([
    ['went offline', (id) => db.agent.update({ where: { id }, data: { shift: 'OFFLINE' } })],
    ['was reserved', (id) => db.agent.update({ where: { id }, data: { currentCallId: 1 } })],
    ['was deleted', (id) => db.agent.update({ where: { id }, data: { deletedAt: new Date() } })],
    ['disconnected', (agentId) => db.agentConnection.deleteMany({ where: { agentId } })],
    [
      'is in wrap-up',
      (id) => db.agent.update({ where: { id }, data: { wrapUpUntil: new Date(Date.now() + 60_000) } }),
    ],
  ])('an agent who %s is not rung', async (_, happens) => {
    expect(await offerAfter(happens)).toMatchObject({ kind: 'changed', offeredTo: [], reserved: 0 });
  });

  test('a call that rings another agent by then rings no second one, who is not reserved', async () => {
    const outcome = await offerAfter(async (first, queueId) => {
      await db.agent.update({ where: { id: first }, data: { shift: 'OFFLINE' } });
      await dispatchQueue(db, queueId, new Date());
      await db.agent.update({ where: { id: first }, data: { shift: 'AVAILABLE' } });
    });
    expect(outcome).toMatchObject({ kind: 'changed', offeredTo: [outcome.second], reserved: 1 });
  });

  test('two dispatches never ring two agents for one call of a ROUND_ROBIN queue', async () => {
    for (let round = 0; round < 5; round += 1) {
      const queueId = await centre.queue(await centre.agents(4));
      const callId = await (await centre.line(queueId))();
      await Promise.all([db, other, db, other].map((each) => dispatchQueue(each, queueId, new Date())));
      expect(await offersOf([callId])).toHaveLength(1);
      expect(await db.agent.count({ where: { currentCallId: callId } })).toBe(1);
    }
  });
});

test('LiveCall.ringing follows the state: true exactly while agents are being rung', async () => {
  const queueId = await centre.queue(await centre.agents(1));
  const callId = await (await centre.line(queueId))();
  const ringing = async () => (await db.liveCall.findUniqueOrThrow({ where: { callId } })).ringing;
  expect(await ringing()).toBe(false);
  await dispatchQueue(db, queueId, new Date());
  expect(await ringing()).toBe(true);
  const [{ agentId } = { agentId: null }] = await offersOf([callId]);
  await stepCall(db, callId, { type: 'decline', agentId: agentId ?? 0 }, new Date());
  expect(await ringing()).toBe(false);
});

test('the sweep dispatches a queue only if it has an offer to make', async () => {
  const busy = await centre.queue(await centre.agents(1, { currentCallId: 1 }));
  const idle = await centre.queue(await centre.agents(1));
  await (
    await centre.line(busy)
  )();
  await (
    await centre.line(idle)
  )();
  expect(await queuesToDispatch(db, [busy, idle], new Date())).toEqual([idle]);
});

describe('the cost of a read', () => {
  const pages = (queueId: number) =>
    pagesOf(db, LOAD_DISPATCH.text, [[queueId], new Date().toISOString(), FEW]);

  test('is the same with 10 and 2,000 waiting calls, whether or not an agent is idle', async () => {
    const [busy = 0] = await centre.agents(1, { currentCallId: 1 });
    const queueId = await centre.queue([busy]);
    const first = await (await centre.line(queueId))();
    await centre.copies(first, 9);
    const [before, idleBefore] = await both();
    await centre.copies(first, 1_990);
    const [after, idleAfter] = await both();
    expect(after).toBeLessThanOrEqual(before + 20);
    expect(idleAfter).toBeLessThanOrEqual(idleBefore + FEW * 4);

    async function both(): Promise<[number, number]> {
      const without = await pages(queueId);
      await db.agent.update({ where: { id: busy }, data: { currentCallId: null } });
      const withOne = await pages(queueId);
      await db.agent.update({ where: { id: busy }, data: { currentCallId: 1 } });
      return [without, withOne];
    }
  });

  test('is the same with 10 and 1,000 connected agents, idle or on a call', async () => {
    const agentIds = await centre.agents(10);
    const [ten = 0, all = 0] = [
      await centre.queue(agentIds),
      await centre.queue([...agentIds, ...(await centre.agents(990))]),
    ];
    for (const queueId of [ten, all]) await (await centre.line(queueId))();
    const few = await pages(ten);
    const many = await pages(all);
    // Ten more idle agents are read, up to the limit.
    expect(many).toBeLessThanOrEqual(few * 3 + 20);
    await db.agent.updateMany({
      where: { id: { notIn: agentIds }, tenantId: centre.tenantId },
      data: { currentCallId: 1 },
    });
    expect(await pages(all)).toBeLessThanOrEqual(few * 3 + 20);
  });
});
