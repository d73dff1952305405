/** What is stored of legs that end after their call. */
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CentreRows } from './__fixtures__/centre-rows.ts';
import { keepLateLegEnds } from './late-leg-end.ts';
import type { LegEnded } from './late-leg-end.ts';

const at = new Date('2026-03-01T12:00:00.000Z');

let testDatabase: TestDatabase;
let db: Database;
let newCall: () => Promise<number>;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  const centre = await CentreRows.create(db);
  newCall = await centre.line(await centre.queue([]));
});
afterAll(() => testDatabase.drop());

/** A call with legs of both types that nothing has ended. */
async function call(): Promise<number> {
  const callId = await newCall();
  await db.callLeg.deleteMany({ where: { callId } });
  await db.callLeg.createMany({
    data: [
      { callId, type: 'AGENT', legId: `agent-${callId}`, state: 'CONNECTED' },
      { callId, type: 'CUSTOMER', legId: `customer-${callId}`, state: 'CONNECTED' },
    ],
  });
  return callId;
}
const ended = (callId: number, kind: LegEnded['kind'], more: Partial<LegEnded> = {}): LegEnded => ({
  callId,
  kind,
  legId: `${kind === 'agent' ? 'agent' : 'customer'}-${callId}`,
  stats: { codec: 'PCMA' },
  at,
  ...more,
});
const legsOf = async (callId: number) => {
  const legs = await db.callLeg.findMany({ where: { callId }, orderBy: { type: 'asc' } });
  return legs.map(({ state, stats, disconnectedAt }) => ({ state, stats, disconnectedAt }));
};

test('the legs of several calls are stored together, and a repetition keeps the time of the end', async () => {
  const [one, other] = [await call(), await call()];
  const all = [one, other].flatMap((callId) => [ended(callId, 'agent'), ended(callId, 'carrier-in')]);
  await keepLateLegEnds(db, all);
  await keepLateLegEnds(db, [ended(one, 'agent', { at: new Date(at.getTime() + 1_000), stats: null })]);
  const stored = { state: 'DISCONNECTED', stats: { codec: 'PCMA' }, disconnectedAt: at };
  expect([await legsOf(one), await legsOf(other)]).toEqual([
    [stored, stored],
    [stored, stored],
  ]);
});

test('an older leg of the agent changes nothing, also beside the latest one', async () => {
  const callId = await call();
  const older = ended(callId, 'agent', { legId: 'older', stats: { codec: 'PCMU' } });
  await keepLateLegEnds(db, [older, ended(callId, 'agent'), older]);
  expect(await legsOf(callId)).toMatchObject([
    { state: 'DISCONNECTED', stats: { codec: 'PCMA' } },
    { state: 'CONNECTED', stats: null },
  ]);
});

test('text that PostgreSQL cannot store is removed from the statistics', async () => {
  const callId = await call();
  await keepLateLegEnds(db, [ended(callId, 'carrier-in', { stats: { codec: 'PC\0MA' } })]);
  expect((await legsOf(callId))[1]).toMatchObject({ stats: { codec: 'PCMA' } });
});
