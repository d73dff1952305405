import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../test/test-database.ts';
import type { TestDatabase } from '../test/test-database.ts';
import { createDatabase, Prisma } from './index.ts';
import type { Database } from './index.ts';
import { runPrepared } from './run-prepared.ts';

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(database.url, { connections: 1 });
});
afterAll(async () => {
  await db.$disconnect();
  await database.drop();
});

test('a text is prepared once, whatever its values', async () => {
  const twice = (n: number) =>
    runPrepared<{ twice: number }>(db, Prisma.sql`select ${n}::int * 2 as "twice"`);

  expect(await twice(4)).toEqual([{ twice: 8 }]);
  expect(await twice(21)).toEqual([{ twice: 42 }]);

  const executed = await db.$queryRaw`
    select (generic_plans + custom_plans)::int as times from pg_prepared_statements where statement like '%as "twice"'`;
  expect(executed).toEqual([{ times: 2 }]);
});

test('a list is one parameter', async () => {
  const sum = (numbers: number[]) =>
    runPrepared<{ sum: number }>(
      db,
      Prisma.sql`select sum(n)::int as "sum" from unnest(${numbers}::int[]) n`,
    );

  expect(await sum([1, 2])).toEqual([{ sum: 3 }]);
  expect(await sum([1, 2, 3])).toEqual([{ sum: 6 }]);
});

test('beyond a hundred texts, statements run unprepared', async () => {
  const texts = Array.from({ length: 120 }, (_, at) => Prisma.raw(`select ${at} as "at"`));

  const rows = await Promise.all(texts.map((text) => runPrepared(db, text)));

  expect(rows).toEqual(texts.map((_, at) => [{ at }]));
  const [prepared] = await db.$queryRaw<object[]>`select count(*)::int as count from pg_prepared_statements`;
  expect(prepared).toEqual({ count: expect.toSatisfy((count: number) => count > 0 && count <= 100) });
});
