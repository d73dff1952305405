/** The database itself rejects a second price of a prefix at the same time, however it is written. */
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

let database: TestDatabase;
let db: Database;
let deckId: number;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.connect();
});
afterAll(() => database.drop());
beforeEach(async () => {
  const consumer = await db.consumer.upsert({
    where: { slug: 'a' },
    create: { slug: 'a', name: 'A' },
    update: {},
  });
  const data = { consumerId: consumer.id, name: 'Carrier', kind: 'BUY', currency: 'USD' } as const;
  deckId = (await db.rateDeck.create({ data })).id;
});

const day = (number: number | null) => (number === null ? null : new Date(Date.UTC(2026, 0, number)));
const price = (from: number, to: number | null, prefix = '44') => ({
  deckId,
  prefix,
  rate: '0.01',
  initialSeconds: 60,
  incrementSeconds: 60,
  connectionFee: '0',
  effectiveFrom: day(from) as Date,
  effectiveTo: day(to),
});
const add = (...prices: ReturnType<typeof price>[]) => db.rateEntry.createMany({ data: prices });
const TWICE = /prefix 44 would have two prices at the same time/;

test.each([
  ['the same time', price.bind(null, 5, 10)],
  ['part of it', price.bind(null, 9, 12)],
  ['all of it', price.bind(null, 1, null)],
])('is rejected: a price for %s', async (_, second) => {
  await add(price(5, 10), price(10, null, '441'));
  await expect(add(second())).rejects.toThrow(TWICE);
  expect(await db.rateEntry.count({ where: { deckId } })).toBe(2);
});

test('are accepted: prices of the same prefix one after the other, and in different decks', async () => {
  await add(price(5, 10), price(10, null), price(1, 5));
  deckId = (await db.rateDeck.findFirstOrThrow({ where: { id: { not: deckId } } })).id;
  await db.rateEntry.deleteMany({ where: { deckId } });
  await add(price(1, null));
});

test('is rejected: two prices in one statement, and a price that is extended into the next one', async () => {
  await expect(add(price(1, 6), price(5, null))).rejects.toThrow(TWICE);
  await add(price(1, 5), price(5, null));
  const extended = db.rateEntry.updateMany({
    where: { deckId, effectiveTo: day(5) },
    data: { effectiveTo: day(6) },
  });
  await expect(extended).rejects.toThrow(TWICE);
});

test('is rejected: a price that is moved to another prefix or to an earlier time; one that becomes shorter is accepted', async () => {
  await add(price(1, 5), price(5, 10), price(1, 10, '441'));
  const where = { deckId, effectiveFrom: price(5, 10).effectiveFrom };
  await expect(
    db.rateEntry.updateMany({ where: { deckId, prefix: '441' }, data: { prefix: '44' } }),
  ).rejects.toThrow(TWICE);
  await expect(
    db.rateEntry.updateMany({ where, data: { effectiveFrom: price(4, 5).effectiveFrom } }),
  ).rejects.toThrow(TWICE);
  await db.rateEntry.updateMany({
    where,
    data: { effectiveFrom: price(6, 9).effectiveFrom, effectiveTo: day(9) },
  });
});

test('is rejected: the later one of two concurrent transactions, also if neither has locked the deck', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: waits, resolve: release } = Promise.withResolvers<void>();
  const first = db.$transaction(async (tx) => {
    await tx.rateEntry.createMany({ data: [price(1, null)] });
    begin();
    await waits;
  });
  await begun;
  const second = add(price(3, null));
  const settled = Promise.allSettled([first, second]);
  release();
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});

test('a large new deck is checked with one search for each entry, although the statistics know nothing of it', async () => {
  const fill = (deck: number, count: number) => db.$executeRaw`
    insert into "RateEntry" ("deckId", "prefix", "rate", "initialSeconds", "incrementSeconds", "connectionFee", "effectiveFrom")
    select ${deck}, (100000 + n)::text, 1, 60, 60, 0, now() from generate_series(1, ${count}::int) as n`;
  await fill(deckId, 3_000);
  await db.$executeRaw`analyze "RateEntry"`;
  const { consumerId } = await db.rateDeck.findUniqueOrThrow({ where: { id: deckId } });
  const data = { consumerId, name: 'New', kind: 'BUY', currency: 'USD' } as const;
  const { id } = await db.rateDeck.create({ data });
  // Compared with each other, these take longer than a test may.
  expect(await fill(id, 40_000)).toBe(40_000);
});
