/** The stored facts that could not be processed. */
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  listFailedFacts,
  MAX_FAILED_FACTS_PER_NODE,
  pruneFailedFacts,
  recordFailedFact,
} from './failed-facts.ts';
import type { NewFailedFact } from './failed-facts.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const DAY_MS = 24 * 60 * 60_000;

let testDatabase: TestDatabase;
let db: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
});
afterAll(() => testDatabase.drop());
beforeEach(() => db.failedFact.deleteMany({}));

const failed = (factId: string, more: Partial<NewFailedFact> = {}): NewFailedFact => ({
  factId,
  mediaNodeId: 'media-1',
  realtimeNodeId: 'realtime-1',
  fact: 'leg:ended',
  callId: 1,
  legId: 'leg',
  error: new Error('no\0 luck'),
  payload: { digit: '7', codec: 'PCMA' },
  outcome: 'CALL_ENDED',
  ...more,
});

test('a fact is stored once, without the digit, the newest first', async () => {
  await recordFailedFact(db, failed('a'), now);
  await recordFailedFact(db, failed('a', { outcome: 'NOT_ENDED' }), now);
  await recordFailedFact(db, failed('b', { payload: { text: 'x'.repeat(10_000) } }), now);
  const stored = await listFailedFacts(db, 10);
  expect(stored).toMatchObject([
    { factId: 'b', payload: null },
    { factId: 'a', error: 'no luck', payload: { codec: 'PCMA' }, outcome: 'CALL_ENDED' },
  ]);
  expect(stored[1]?.payload).not.toHaveProperty('digit');
  expect(await listFailedFacts(db, 1)).toHaveLength(1);
});

test('a media node keeps a limited number of facts, and the oldest are deleted; another node is not affected', async () => {
  await recordFailedFact(db, failed('of another node', { mediaNodeId: 'media-2' }), now);
  await db.failedFact.createMany({
    data: Array.from({ length: MAX_FAILED_FACTS_PER_NODE }, (_, i) => ({
      factId: `fact-${i}`,
      at: now,
      mediaNodeId: 'media-1',
      realtimeNodeId: 'realtime-1',
      fact: 'leg:ended',
      legId: 'leg',
      error: 'none',
      outcome: 'CALL_ENDED',
    })),
  });
  await recordFailedFact(db, failed('newest'), now);
  const kept = await listFailedFacts(db, 2 * MAX_FAILED_FACTS_PER_NODE);
  expect(kept).toHaveLength(MAX_FAILED_FACTS_PER_NODE + 1);
  const ids = new Set(kept.map(({ factId }) => factId));
  expect([ids.has('newest'), ids.has('fact-1'), ids.has('fact-0'), ids.has('of another node')]).toEqual([
    true,
    true,
    false,
    true,
  ]);
});

test('facts are deleted after thirty days', async () => {
  await recordFailedFact(db, failed('old'), new Date(now.getTime() - 30 * DAY_MS - 1));
  await recordFailedFact(db, failed('recent'), new Date(now.getTime() - 30 * DAY_MS + 1));
  expect(await pruneFailedFacts(db, now)).toBe(1);
  expect(await listFailedFacts(db, 10)).toMatchObject([{ factId: 'recent' }]);
});
