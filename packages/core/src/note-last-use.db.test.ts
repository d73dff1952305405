import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noteLastUse } from './note-last-use.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.connect();
});
afterAll(() => database.drop());

const at = (time: string) => new Date(`2026-01-01T${time}Z`);

test('the last use of keys and sessions is stored, and never decreases', async () => {
  const { id: consumerId } = await db.consumer.create({ data: { slug: 'a', name: 'A' } });
  const key = (prefix: string) =>
    db.apiKey.create({ data: { consumerId, name: prefix, prefix, hash: new Uint8Array([1]) } });
  const [used, unused] = [await key('ck_a_1'), await key('ck_a_2')];
  const session = await db.dashboardSession.create({
    data: {
      consumerId,
      name: 'Olivia',
      role: 'OWNER',
      hash: new Uint8Array([1]),
      lastSeenAt: at('10:00:00'),
      expiresAt: at('23:00:00'),
    },
  });
  for (const time of [at('10:05:00'), at('10:01:00')]) {
    await noteLastUse(db, 'apiKey', new Map([[used.id, time]]));
    await noteLastUse(db, 'session', new Map([[session.id, time]]));
  }
  await noteLastUse(db, 'apiKey', new Map());
  const lastUsedAt = async (id: number) => (await db.apiKey.findUniqueOrThrow({ where: { id } })).lastUsedAt;
  expect(await lastUsedAt(used.id)).toEqual(at('10:05:00'));
  expect(await lastUsedAt(unused.id)).toBeNull();
  expect((await db.dashboardSession.findUniqueOrThrow({ where: { id: session.id } })).lastSeenAt).toEqual(
    at('10:05:00'),
  );
});
