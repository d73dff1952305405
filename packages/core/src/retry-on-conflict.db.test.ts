import type { Database, Tx } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { retryingTransaction } from './retry-on-conflict.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.connect();
  for (const slug of ['a', 'b']) await db.consumer.create({ data: { slug, name: slug } });
});
afterAll(() => database.drop());

const lockRaw = async (tx: Tx, slug: string) => {
  await tx.$queryRaw`select 1 from "Consumer" where "slug" = ${slug} for update`;
};
const lockTyped = async (tx: Tx, slug: string) => {
  await tx.consumer.update({ where: { slug }, data: { name: slug } });
};

test.each([
  ['raw', lockRaw],
  ['typed', lockTyped],
])(
  'two transactions that deadlock with %s statements both succeed, because one is retried',
  async (_, lock) => {
    let runs = 0;
    let holding = 0;
    let bothHold!: () => void;
    const held = new Promise<void>((resolve) => (bothHold = resolve));
    const take = (first: string, second: string) =>
      retryingTransaction({ db }, async ({ db: tx }) => {
        runs += 1;
        await lock(tx, first);
        holding += 1;
        if (holding === 2) bothHold();
        await held;
        await lock(tx, second);
      });
    await Promise.all([take('a', 'b'), take('b', 'a')]);
    // The retried transaction may lock its first row again before the other one has continued, which causes another retry.
    expect(runs).toBeGreaterThanOrEqual(3);
  },
);
