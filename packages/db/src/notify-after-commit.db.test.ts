import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../test/test-database.ts';
import type { TestDatabase } from '../test/test-database.ts';
import type { Database, Listener } from './index.ts';
import { notifyAfterCommit, transactionThenNotify } from './notify-after-commit.ts';
import { listen } from './notify.ts';

let database: TestDatabase;
let db: Database;
let listener: Listener;
let received: string[] = [];
let onReceived = () => {};

beforeAll(async () => {
  database = await createTestDatabase();
  db = database.connect();
  listener = listen(database.url, {
    clarion_call: (payload) => {
      received.push(payload);
      onReceived();
    },
  });
  await listener.ready;
});
beforeEach(() => {
  received = [];
});
afterAll(async () => {
  await listener.stop();
  await database.drop();
});

/** Sent by a statement of its own, so it arrives after everything that was sent before. */
async function allReceived(): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<void>();
  onReceived = () => {
    if (received.at(-1) === 'last') resolve();
  };
  await db.$executeRaw`select pg_notify('clarion_call', 'last')`;
  await promise;
  return received.slice(0, -1);
}

const note = (slug: string, id: number, fails = false) =>
  transactionThenNotify(
    db,
    async (tx) => {
      await tx.consumer.create({ data: { slug, name: slug } });
      await notifyAfterCommit(tx, 'clarion_call', id);
      if (fails) throw new Error('rolled back');
    },
    {},
  );

test('is sent when the transaction has committed, and before its caller continues', async () => {
  await note('committed', 1);
  expect(await allReceived()).toEqual(['1']);
});

test('is not sent by a transaction that is rolled back', async () => {
  await expect(note('rolled-back', 2, true)).rejects.toThrow('rolled back');
  expect(await allReceived()).toEqual([]);
});

test('transactions that commit together are notified of together, each once', async () => {
  await Promise.all(Array.from({ length: 10 }, (_, index) => note(`many-${index}`, index)));
  expect((await allReceived()).toSorted()).toEqual(Array.from({ length: 10 }, (_, index) => String(index)));
});

test('in another transaction it is sent with the commit', async () => {
  await db.$transaction((tx) => notifyAfterCommit(tx, 'clarion_call', 3));
  expect(await allReceived()).toEqual(['3']);
});
