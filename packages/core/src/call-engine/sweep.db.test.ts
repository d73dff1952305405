/** The sweeps of several nodes: who reads what is due, and at what cost. */
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CentreRows } from './__fixtures__/centre-rows.ts';
import { createSweepRows, sweep } from './sweep.ts';

let testDatabase: TestDatabase;
let db: Database;
let centre: CentreRows;

const ago = (ms: number) => new Date(Date.now() - ms);
const limits = () => ({
  now: new Date(),
  deadlinesUntil: ago(-1_500),
  overdueSince: ago(2_000),
  wrapUpsUntil: ago(-2_500),
  creditUntil: ago(-10_000),
});
const sweepAs = (nodeId: string) => sweep(db, nodeId, limits());
/** As if the last turn had been a while ago. */
const itIsTime = () => db.sweep.updateMany({ data: { claimedAt: ago(1_000) } });

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  await createSweepRows(db);
});
afterAll(() => testDatabase.drop());
beforeEach(async () => {
  await db.liveCall.deleteMany();
  await db.engineOutbox.deleteMany();
  centre = await CentreRows.create(db);
});

test('one node a second reads what concerns the cluster; the next one takes over without an election', async () => {
  const until = ago(-1_000);
  const [agentId = 0] = await centre.agents(1, { wrapUpUntil: until });
  const queueId = await centre.queue([agentId]);
  const callId = await (await centre.line(queueId))();
  await db.liveCall.update({
    where: { callId },
    data: { leaseNodeId: 'dead', nextDeadlineAt: ago(3_000) },
  });
  await itIsTime();
  const found = await Promise.all(['a', 'b', 'c'].map(sweepAs));
  const turns = found.filter(({ waitingQueueIds }) => waitingQueueIds.length > 0);
  expect(turns).toHaveLength(1);
  expect(turns[0]).toMatchObject({
    waitingQueueIds: [queueId],
    wrapUps: [{ id: agentId, at: until.getTime() }],
    deadlines: [{ id: callId }],
  });
  for (const each of found)
    if (each !== turns[0]) expect(each).toMatchObject({ waitingQueueIds: [], wrapUps: [], deadlines: [] });
  await itIsTime();
  expect((await sweepAs('d')).waitingQueueIds).toEqual([queueId]);
});

test('every node reads the deadlines of its own calls, and whether effects are due', async () => {
  const queueId = await centre.queue([]);
  const callId = await (await centre.line(queueId))();
  await db.liveCall.update({ where: { callId }, data: { leaseNodeId: 'b', nextDeadlineAt: ago(-1_000) } });
  await db.engineOutbox.deleteMany();
  await db.sweep.updateMany({ data: { claimedAt: ago(-60_000) } });
  expect(await sweepAs('a')).toMatchObject({ deadlines: [], effectsDue: false });
  expect((await sweepAs('b')).deadlines.map(({ id }) => id)).toEqual([callId]);
  await db.engineOutbox.create({ data: { callId, effects: [], claimedUntil: ago(1) } });
  expect((await sweepAs('a')).effectsDue).toBe(true);
});

test('finds each queue with waiting calls once, however many wait', async () => {
  const queueIds = [await centre.queue([]), await centre.queue([]), await centre.queue([])];
  for (const queueId of queueIds) await centre.copies(await (await centre.line(queueId))(), 20);
  await itIsTime();
  expect((await sweepAs('a')).waitingQueueIds).toEqual(queueIds);
});
