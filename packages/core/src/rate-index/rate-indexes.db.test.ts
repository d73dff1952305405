/** Prices from memory are those of the database, also while a deck changes, and without notifications. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Listener } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { rateDeck } from './__fixtures__/rate-deck.ts';
import { listenForRates } from './__fixtures__/listen-for-rates.ts';
import { RateIndexes } from './rate-indexes.ts';
import type { RateIndexesOptions } from './rate-indexes.ts';

const HOUR_MS = 60 * 60_000;

let testDatabase: TestDatabase;
let db: Database;
let deck: Awaited<ReturnType<typeof rateDeck>>;
const opened: RateIndexes[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
});
beforeEach(async () => {
  deck = await rateDeck(db);
});
afterEach(async () => {
  for (const indexes of opened.splice(0)) await indexes.close();
});
afterAll(() => testDatabase.drop());

/** `load` uses the deck until an index is complete that has been built since the last `load`. */
function open(options: Partial<RateIndexesOptions> = {}) {
  const built = new Set<number>();
  const builds: number[] = [];
  const indexes = new RateIndexes(db, {
    isCurrent: () => true,
    rebuildEveryMs: 0,
    onBuilt({ deckId }) {
      builds.push(deckId);
      built.add(deckId);
    },
    ...options,
  });
  opened.push(indexes);
  return {
    indexes,
    builds,
    async load(deckId = deck.id, at = new Date()) {
      const use = async () => {
        await indexes.find(deckId, '1', at);
        return built.delete(deckId);
      };
      await expect.poll(use, { interval: 5 }).toBe(true);
    },
  };
}

const ago = (ms: number) => new Date(Date.now() - ms);
const price = async (indexes: RateIndexes, digits: string, at = new Date()) =>
  (await indexes.find(deck.id, digits, at))?.ratePerMinute ?? null;

describe('a look-up', () => {
  test('is answered alike by the database and from memory', async () => {
    await deck.insert([
      { prefix: '44', rate: '0.012', effectiveFrom: ago(HOUR_MS) },
      { prefix: '4420', rate: '999999999999.999999', effectiveFrom: ago(HOUR_MS) },
      { prefix: '0044', rate: '0', effectiveFrom: ago(HOUR_MS), effectiveTo: new Date(Date.now() + HOUR_MS) },
    ]);
    const { indexes, load } = open();
    const numbers = ['442079460123', '441', '44', '4', '0044123', '4420123456789012345', ''];
    const answers = () => Promise.all(numbers.map((digits) => indexes.find(deck.id, digits, new Date())));
    const fromDatabase = await answers();
    expect(fromDatabase.map((found) => found?.prefix)).toEqual([
      '4420',
      '44',
      '44',
      undefined,
      '0044',
      '4420',
      undefined,
    ]);
    expect(fromDatabase[0]).toMatchObject({
      ratePerMinute: 10n ** 18n - 1n,
      connectionFee: 50_000n,
      initialSeconds: 60,
      incrementSeconds: 6,
    });
    await load();
    await deck.clear();
    expect(await answers()).toEqual(fromDatabase);
  });

  test('a scheduled price takes effect at its time without any notification', async () => {
    const at = new Date(Date.now() + HOUR_MS);
    await deck.insert([
      { prefix: '44', rate: '1', effectiveFrom: ago(HOUR_MS), effectiveTo: at },
      { prefix: '44', rate: '2', effectiveFrom: at },
    ]);
    const { indexes, load } = open();
    await load();
    await deck.clear();
    expect(await price(indexes, '44', new Date(at.getTime() - 1))).toBe(1_000_000n);
    expect(await price(indexes, '44', at)).toBe(2_000_000n);
  });

  test('the price at an earlier time, which has ended since, is read from the database', async () => {
    await deck.insert([
      { prefix: '4', rate: '9', effectiveFrom: ago(3 * HOUR_MS) },
      { prefix: '44', rate: '1', effectiveFrom: ago(3 * HOUR_MS), effectiveTo: ago(HOUR_MS) },
    ]);
    const { indexes, load } = open();
    await load();
    expect(await price(indexes, '44', ago(2 * HOUR_MS))).toBe(1_000_000n);
    expect(await price(indexes, '44')).toBe(9_000_000n);
  });

  test('a deck of many pages is complete in memory', async () => {
    const prefixes = Array.from({ length: 2_500 }, (_, i) => String(10_000 + i));
    await deck.insert(prefixes.map((prefix) => ({ prefix, rate: prefix, effectiveFrom: ago(HOUR_MS) })));
    const { indexes, load } = open();
    await load();
    await deck.clear();
    for (const prefix of prefixes)
      expect(await price(indexes, `${prefix}5`)).toBe(BigInt(prefix) * 1_000_000n);
  });
});

describe('while notifications are received', () => {
  let listener: Listener;
  afterEach(() => listener.stop());

  async function following(options: Partial<RateIndexesOptions> = {}) {
    const forgotten: number[] = [];
    const opening = open({ isCurrent: () => listener.isCurrent(), ...options });
    const { indexes } = opening;
    listener = listenForRates(testDatabase.url, {
      forgetAll: () => indexes.forgetAll(),
      forget(deckId) {
        forgotten.push(deckId);
        indexes.forget(deckId);
      },
    });
    await listener.ready;
    return { ...opening, forgotten };
  }

  test('every change of a deck is notified and seen', async () => {
    const { indexes, load, forgotten } = await following();
    const steps: [() => Promise<unknown>, bigint | null][] = [
      [() => deck.create('44', '1'), 1_000_000n],
      [async () => deck.put(await entryId(), '2'), 2_000_000n],
      [() => deck.import('prefix,rate\n44,3\n'), 3_000_000n],
      [async () => deck.remove(await entryId()), null],
      [() => deck.create('44', '4'), 4_000_000n],
      [() => deck.delete(), null],
    ];
    const entryId = async () => (await indexes.find(deck.id, '44', new Date()))?.entryId ?? 0;
    await load();
    for (const [change, rate] of steps) {
      forgotten.length = 0;
      await change();
      await expect.poll(() => forgotten).toEqual([deck.id]);
      await load();
      expect(await price(indexes, '44')).toBe(rate);
    }
  });

  test('every answer during an import is the price before it or after it', async () => {
    const prefixes = Array.from({ length: 4_000 }, (_, i) => String(440_000 + i));
    const sheet = (rate: number) =>
      ['prefix,rate', ...prefixes.map((prefix) => `${prefix},${rate}`)].join('\n');
    await deck.import(sheet(1));
    const { indexes, load, builds } = await following();
    await load();
    let isOver = false;
    const seen = new Set<bigint | null>();
    let answers = 0;
    const reader = async (offset: number) => {
      for (let i = offset; !isOver; i += 7) {
        seen.add(await price(indexes, `${prefixes[i % prefixes.length]}123`));
        answers += 1;
        if (answers % 50 === 0) await sleep(1);
      }
    };
    const readers = [0, 1, 2, 3].map(reader);
    for (const rate of [2, 3, 4]) await deck.import(sheet(rate));
    await expect.poll(() => price(indexes, '440000')).toBe(4_000_000n);
    isOver = true;
    await Promise.all(readers);
    expect([...seen].toSorted()).toEqual([1_000_000n, 2_000_000n, 3_000_000n, 4_000_000n]);
    expect(answers).toBeGreaterThan(500);
    expect(builds.length).toBeGreaterThan(1);
    for (const prefix of prefixes) expect(await price(indexes, prefix)).toBe(4_000_000n);
  });
});

describe('memory is not used', () => {
  test('while notifications are not received', async () => {
    await deck.insert([{ prefix: '44', rate: '1', effectiveFrom: ago(HOUR_MS) }]);
    let isCurrent = true;
    const { indexes, load, builds } = open({ isCurrent: () => isCurrent });
    await load();
    await deck.clear();
    expect(await price(indexes, '44')).toBe(1_000_000n);
    isCurrent = false;
    expect(await price(indexes, '44')).toBeNull();
    indexes.forgetAll();
    await price(indexes, '44');
    expect(builds).toHaveLength(1);
  });

  test('if the deck changed while it was read', async () => {
    await deck.insert([{ prefix: '44', rate: '1', effectiveFrom: ago(HOUR_MS) }]);
    const { indexes, builds } = open({ rebuildEveryMs: HOUR_MS });
    const before = price(indexes, '44');
    indexes.forget(deck.id);
    expect(await before).toBe(1_000_000n);
    await deck.clear();
    expect(await price(indexes, '44')).toBeNull();
    await indexes.close();
    expect(builds).toEqual([]);
  });

  test('of a deck that changed, until it may be read again', async () => {
    let now = Date.now();
    const { indexes, load, builds } = open({ now: () => new Date(now), rebuildEveryMs: 10_000 });
    await load(deck.id, new Date(now));
    indexes.forget(deck.id);
    for (let i = 0; i < 20; i += 1) await price(indexes, '44', new Date(now));
    expect(builds).toHaveLength(1);
    now += 10_000;
    await load(deck.id, new Date(now));
    expect(builds).toHaveLength(2);
  });

  test('of decks that are too large together: the one that was not used for the longest time is dropped', async () => {
    const decks = [deck, await rateDeck(db), await rateDeck(db)];
    for (const { insert } of decks) {
      const prefixes = Array.from({ length: 1_000 }, (_, i) => String(1_000 + i));
      await insert(prefixes.map((prefix) => ({ prefix, rate: '1', effectiveFrom: ago(HOUR_MS) })));
    }
    let now = Date.now();
    const { indexes, load } = open({
      now: () => new Date((now += 1)),
      maxBytes: 50_000,
      rebuildEveryMs: HOUR_MS,
    });
    const [first, second, third] = decks.map(({ id }) => id) as [number, number, number];
    await load(first, new Date(now + HOUR_MS));
    await load(second, new Date(now + HOUR_MS));
    const rate = async (id: number) => (await indexes.find(id, '1234', new Date(now + HOUR_MS)))?.prefix;
    await rate(first);
    await load(third, new Date(now + HOUR_MS));
    expect(indexes.bytes).toBeLessThanOrEqual(50_000);
    for (const { clear } of decks) await clear();
    expect([await rate(first), await rate(second), await rate(third)]).toEqual(['1234', undefined, '1234']);
  });

  test('of a deck that is too large alone, which is not read again until it changes', async () => {
    await deck.insert(
      Array.from({ length: 2_000 }, (_, i) => ({
        prefix: String(1_000 + i),
        rate: '1',
        effectiveFrom: ago(HOUR_MS),
      })),
    );
    const { indexes, builds } = open({ maxBytes: 20_000 });
    for (let i = 0; i < 20; i += 1) expect(await price(indexes, '1234')).toBe(1_000_000n);
    await indexes.close();
    expect(builds).toEqual([]);
    expect(indexes.bytes).toBe(0);
  });

  test('if the connection is lost while the deck is read, until it is read again', async () => {
    await deck.fill(20_000);
    const failed: number[] = [];
    const { indexes, load } = open({ onError: (_, deckId) => failed.push(deckId) });
    const terminate = async () => {
      // The deck may have been read before its connection was found.
      if (indexes.bytes > 0) indexes.forget(deck.id);
      await price(indexes, '100001');
      return db.$executeRaw`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'fetch % from rates'`;
    };
    await expect.poll(terminate, { interval: 1 }).toBeGreaterThan(0);
    await expect.poll(() => failed).toEqual([deck.id]);
    expect(indexes.bytes).toBe(0);
    await load();
    await deck.clear();
    expect(await price(indexes, '1000010')).toBe(1_000_000n);
  });

  test('of a deck that was not used for an hour', async () => {
    await deck.insert([{ prefix: '44', rate: '1', effectiveFrom: ago(2 * HOUR_MS) }]);
    let now = Date.now();
    const { indexes, load } = open({ now: () => new Date(now) });
    await load(deck.id, new Date(now));
    now += HOUR_MS - 1;
    indexes.dropUnused();
    expect(indexes.bytes).toBeGreaterThan(0);
    now += 1;
    indexes.dropUnused();
    expect(indexes.bytes).toBe(0);
  });
});
