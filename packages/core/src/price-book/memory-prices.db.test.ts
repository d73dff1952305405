/** A price book in memory answers like the database, costs no statement once it is warm, and follows changes. */
import { listen } from '@clarion/db';
import type { Consumer, Database, Listener } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDeck, createPlan, entry } from './__fixtures__/prices.ts';
import { MemoryPrices } from './memory-prices.ts';
import { readPrices } from './read-prices.ts';

let testDatabase: TestDatabase;
let db: Database;
let consumer: Consumer;
let listener: Listener;
let prices: MemoryPrices;
let built: () => void = () => undefined;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  consumer = await db.consumer.create({ data: { slug: 'acme', name: 'Acme' } });
  prices = new MemoryPrices(db, {
    isCurrent: () => listener.isCurrent(),
    rebuildEveryMs: 0,
    onBuilt: () => built(),
  });
  listener = listen(
    testDatabase.url,
    {
      clarion_price_plan: (id) => prices.forgetPlan(Number(id)),
      clarion_rates: (id) => prices.forgetDeck(Number(id)),
    },
    { onConnect: () => prices.forgetAll() },
  );
  await listener.ready;
});
afterAll(async () => {
  await listener.stop();
  await prices.close();
  await testDatabase.drop();
});

/** Of which every use throws: what is in memory needs none. */
const noDatabase = new Proxy({} as Database, {
  get() {
    throw new Error('a statement');
  },
});

const newDeck = () => {
  const always = { ...entry('44', '0.05', 60, 60), effectiveFrom: new Date(0) };
  return createDeck(db, consumer.id, 'SELL', [always], { currency: 'EUR' });
};
/** Uses the deck until its index is in memory. */
async function warm(deckId: number): Promise<void> {
  const isBuilt = new Promise<void>((resolve) => (built = resolve));
  await prices.price(db, deckId, '44', new Date());
  await isBuilt;
  await prices.price(db, deckId, '44', new Date());
}

test('prices and currencies come from memory, and are those of the database', async () => {
  const deck = await newDeck();
  await warm(deck.id);
  const now = new Date();
  const found = await prices.price(noDatabase, deck.id, '442079460001', now);
  expect(found).toMatchObject({ currency: 'EUR', ratePerMinute: 50_000n });
  expect(found).toMatchObject((await readPrices.price(db, deck.id, '442079460001', now)) ?? {});
  expect(await prices.price(noDatabase, deck.id, '33', now)).toBeNull();
});

test('a changed currency and a deleted deck are seen', async () => {
  const deck = await newDeck();
  await warm(deck.id);
  await db.rateDeck.update({ where: { id: deck.id }, data: { currency: 'USD' } });
  const currency = async () => (await prices.price(db, deck.id, '44', new Date()))?.currency;
  await expect.poll(currency).toBe('USD');
  await db.rateDeck.delete({ where: { id: deck.id } });
  await expect.poll(currency).toBeUndefined();
});

test('a plan comes from memory until it changes', async () => {
  const plan = { consumerId: consumer.id, name: 'Plan', currency: 'USD' };
  const { id } = await createPlan(db, plan, [{ flatRate: '0.5' }]);
  expect(await prices.plan(db, id)).toEqual(await readPrices.plan(db, id));
  expect((await prices.plan(noDatabase, id))?.items).toMatchObject([{ flatRate: 500_000n }]);
  await db.$transaction([
    db.priceItem.updateMany({ where: { planId: id }, data: { flatRate: '0.7' } }),
    db.pricePlan.update({ where: { id }, data: { name: 'Plan 2' } }),
  ]);
  const rate = async () => (await prices.plan(db, id))?.items[0]?.flatRate;
  await expect.poll(rate).toBe(700_000n);
  await db.pricePlan.delete({ where: { id } });
  await expect.poll(() => prices.plan(db, id)).toBeNull();
});

test('nothing from memory is used while notifications are not received', async () => {
  const deck = await newDeck();
  await warm(deck.id);
  await listener.stop();
  await expect(prices.price(noDatabase, deck.id, '44', new Date())).rejects.toThrow('a statement');
});
