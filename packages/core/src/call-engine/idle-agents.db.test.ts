/** Longest idle first: what restarts an agent's idle time in the database, and what does not. */
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { accept, makeFixture, ringEverybody } from './__fixtures__/ring-all-race.ts';
import type { Accept, RaceFixture } from './__fixtures__/ring-all-race.ts';
import { clearWrapUp } from '../agent/wrap-up.ts';
import { stepCall } from './step-call.ts';

let testDatabase: TestDatabase;
let db: Database;
let fixture: RaceFixture;
let agentIds: number[];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  fixture = await makeFixture(db);
  ({ agentIds } = fixture);
});
afterAll(() => testDatabase.drop());

const LONG_AGO = new Date('2026-01-05T10:00:00Z');
beforeEach(async () => {
  await db.agent.updateMany({ where: { id: { in: agentIds } }, data: { idleSince: LONG_AGO } });
});

/** Agents whose idle time was restarted. */
const movedBack = async (): Promise<number[]> => {
  const moved = await db.agent.findMany({
    where: { id: { in: agentIds }, idleSince: { not: LONG_AGO } },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  return moved.map(({ id }) => id);
};
const firstOf = ([first]: Accept[]): Accept => {
  if (!first) throw new Error('the call is not ringing');
  return first;
};

test('agents keep their idle time when a colleague answers first or the caller hangs up; it restarts for the agent who talked', async () => {
  const abandoned = firstOf(await ringEverybody(db, fixture));
  await accept(db, abandoned);
  await stepCall(db, abandoned.callId, { type: 'terminate' }, new Date());
  expect(await movedBack()).toEqual([]);

  const taken = firstOf(await ringEverybody(db, fixture));
  await accept(db, taken);
  const call = await db.liveCall.findUniqueOrThrow({ where: { callId: taken.callId } });
  const { carrierLegId } = call.state as { carrierLegId: string };
  for (const legId of [taken.legId, carrierLegId])
    await stepCall(db, taken.callId, { type: 'leg-connected', legId, codec: 'PCMA' }, new Date());
  await stepCall(db, taken.callId, { type: 'hangup', agentId: taken.agentId }, new Date());
  expect(await movedBack()).toEqual([taken.agentId]);
});

test('the idle time of an agent who declines or misses a call restarts', async () => {
  const { callId, agentId } = firstOf(await ringEverybody(db, fixture));
  await stepCall(db, callId, { type: 'decline', agentId }, new Date());
  expect(await movedBack()).toEqual([agentId]);
  const { nextDeadlineAt } = await db.liveCall.findUniqueOrThrow({ where: { callId } });
  await stepCall(db, callId, { type: 'tick' }, nextDeadlineAt ?? new Date());
  expect(await movedBack()).toEqual(agentIds);
  await stepCall(db, callId, { type: 'terminate' }, new Date());
});

test('an accepted call whose audio failed does not count as a missed offer', async () => {
  const first = firstOf(await ringEverybody(db, fixture));
  await accept(db, first);
  const failed = { command: 'agent:connect', legId: first.legId, message: 'No candidate worked.' } as const;
  await stepCall(db, first.callId, { type: 'command-failed', ...failed }, new Date());
  expect(await db.agent.findUniqueOrThrow({ where: { id: first.agentId } })).toMatchObject({
    consecutiveMissed: 0,
    currentCallId: null,
  });
  expect(await movedBack()).toEqual([first.agentId]);
});

test.each([
  ['at its end', 60_000],
  ['later, if they declined a call since', -60_000],
])('after a wrap-up the idle time starts %s', async (_, beforeEnd) => {
  const [id = 0] = agentIds;
  const wrapUpUntil = new Date(Date.now() - 120_000);
  const idleSince = new Date(wrapUpUntil.getTime() - beforeEnd);
  await db.agent.update({ where: { id }, data: { wrapUpUntil, idleSince } });
  expect(await clearWrapUp(db, id, new Date())).toBe(true);
  const latest = beforeEnd > 0 ? wrapUpUntil : idleSince;
  expect(await db.agent.findUnique({ where: { id } })).toMatchObject({
    wrapUpUntil: null,
    idleSince: latest,
  });
  expect(await clearWrapUp(db, id, new Date())).toBe(false);
});
