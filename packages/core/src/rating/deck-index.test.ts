import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DeckIndexBuilder } from './deck-index.ts';
import type { DeckIndex, IndexRow } from './deck-index.ts';

const row = (prefix: string, entryId: number, change: Partial<IndexRow> = {}): IndexRow => ({
  entryId,
  prefix,
  ratePerMinute: BigInt(entryId),
  connectionFee: 0n,
  initialSeconds: 60,
  incrementSeconds: 60,
  effectiveFrom: 0,
  effectiveTo: null,
  ...change,
});

const byPrefixAndTime = (a: IndexRow, b: IndexRow) =>
  a.prefix < b.prefix ? -1 : a.prefix > b.prefix ? 1 : a.effectiveFrom - b.effectiveFrom;

function indexOf(rows: readonly IndexRow[]): DeckIndex {
  const builder = new DeckIndexBuilder();
  for (const each of rows.toSorted(byPrefixAndTime)) builder.add(each);
  return builder.build();
}

/** The definition: of the rows in force whose prefix the number begins with, the one with the longest prefix. */
function modelFind(rows: readonly IndexRow[], digits: string, at: number) {
  const pricing = rows.filter(
    ({ prefix, effectiveFrom, effectiveTo }) =>
      digits.startsWith(prefix) && effectiveFrom <= at && (effectiveTo === null || effectiveTo > at),
  );
  const [longest] = pricing.toSorted((a, b) => b.prefix.length - a.prefix.length);
  if (!longest) return null;
  const { effectiveFrom: _from, effectiveTo: _to, ...price } = longest;
  return price;
}

// Few different digits and times, so that prefixes contain one another and look-ups meet the moments at which prices change.
const digitsOf = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom('0', '1', '9'), { minLength, maxLength }).map((characters) => characters.join(''));
const time = fc.integer({ min: 0, max: 12 });
const amount = fc.oneof(fc.bigInt({ min: 0n, max: 3n }), fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }));
const block = fc.integer({ min: 1, max: 3600 });

/** The prices of one prefix: each begins when the one before it ends, or later. */
const versions = fc
  .tuple(
    digitsOf(1, 15),
    fc.uniqueArray(time, { minLength: 2, maxLength: 10 }),
    fc.boolean(),
    fc.boolean(),
    fc.array(fc.tuple(amount, amount, block, block), { minLength: 10, maxLength: 10 }),
  )
  .map(([prefix, times, isOpen, hasGaps, prices]) => {
    const sorted = times.toSorted((a, b) => a - b);
    const periods = sorted.flatMap((from, i): [number, number | null][] => {
      const to = sorted[i + 1];
      if (to === undefined) return isOpen ? [[from, null]] : [];
      return hasGaps && i % 2 === 1 ? [] : [[from, to]];
    });
    return periods.map(([effectiveFrom, effectiveTo], i): IndexRow => {
      const [ratePerMinute, connectionFee, initialSeconds, incrementSeconds] = prices[i] ?? [0n, 0n, 1, 1];
      return {
        entryId: 0,
        prefix,
        ratePerMinute,
        connectionFee,
        initialSeconds,
        incrementSeconds,
        effectiveFrom,
        effectiveTo,
      };
    });
  });
const deck = fc
  .uniqueArray(versions, { selector: (rows) => rows[0]?.prefix ?? '', maxLength: 40 })
  .map((prefixes) => prefixes.flat().map((each, i) => ({ ...each, entryId: i + 1 })));

describe('the price of a number', () => {
  test('is that of the longest prefix in force, in every deck at every time', () => {
    fc.assert(
      fc.property(deck, fc.array(digitsOf(0, 20), { maxLength: 20 }), (rows, others) => {
        const index = indexOf(rows);
        expect(index.rows).toBe(rows.length);
        const numbers = [...others, ...rows.flatMap(({ prefix }) => [prefix, `${prefix}0`, `${prefix}19`])];
        for (const digits of numbers) {
          for (let at = -1; at <= 13; at += 1) {
            expect(index.find(digits, at)).toEqual(modelFind(rows, digits, at));
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  test('has a prefix of any length from 1 to 15 digits', () => {
    const digits = '123456789012345';
    const rows = Array.from({ length: 15 }, (_, i) => row(digits.slice(0, i + 1), i + 1));
    const index = indexOf(rows);
    for (const { prefix, entryId } of rows)
      expect(index.find(`${prefix}x`, 0)).toMatchObject({ entryId, prefix });
    expect(index.find(`${digits}678`, 0)?.entryId).toBe(15);
    for (const { prefix } of rows) expect(indexOf([row(prefix, 7)]).find(digits, 0)?.prefix).toBe(prefix);
  });

  test.each([
    ['of one digit many times', '0'.repeat(15), '0'.repeat(14), '0'.repeat(16)],
    ['of the highest digits', '9'.repeat(15), '9'.repeat(14), '9'.repeat(16)],
  ])('tells prefixes apart: %s', (_, long, short, number) => {
    const index = indexOf([row(long, 1), row(short, 2)]);
    expect([number, short, short.slice(1)].map((digits) => index.find(digits, 0)?.entryId)).toEqual([
      1,
      2,
      undefined,
    ]);
  });

  test('a longer prefix that is scheduled or has ended does not count', () => {
    const index = indexOf([
      row('44', 1),
      row('4420', 2, { effectiveFrom: 10, effectiveTo: 20 }),
      row('4420', 3, { effectiveFrom: 30 }),
    ]);
    const found = [9, 10, 19, 20, 29, 30].map((at) => index.find('442079460123', at)?.entryId);
    expect(found).toEqual([1, 2, 2, 1, 1, 3]);
  });

  test('is found among a thousand prices of the same prefix', () => {
    const rows = Array.from({ length: 1000 }, (_, i) =>
      row('44', i, { effectiveFrom: i * 10, effectiveTo: i * 10 + 9 }),
    );
    const index = indexOf([row('43', -1), ...rows, row('45', -2)]);
    for (const i of [0, 1, 499, 998, 999]) {
      const found = [0, 8, 9].map((rest) => index.find('4420', i * 10 + rest)?.entryId);
      expect(found).toEqual([i, i, undefined]);
    }
    expect(index.find('4420', -1)).toBeNull();
  });

  test('does not exist for what begins with no digit, nor in an empty deck', () => {
    expect(indexOf([row('1', 1)]).find('', 0)).toBeNull();
    expect(indexOf([row('1', 1)]).find('sip:1', 0)).toBeNull();
    expect(indexOf([]).find('1', 0)).toBeNull();
  });
});

test.each([
  ['a prefix before the last one', [row('44', 1), row('43', 2)]],
  ['a shorter prefix after a longer one', [row('44', 1), row('4', 2)]],
  ['two prices at the same time', [row('44', 1), row('44', 2)]],
  [
    'prices that overlap',
    [row('44', 1, { effectiveTo: 10 }), row('44', 2, { effectiveFrom: 9, effectiveTo: 20 })],
  ],
  ['a prefix of 16 digits', [row('1'.repeat(16), 1)]],
  ['a prefix with a plus', [row('+44', 1)]],
])('an index does not accept %s', (_, rows) => {
  const builder = new DeckIndexBuilder();
  expect(() => rows.forEach((each) => builder.add(each))).toThrow(RangeError);
});

describe('the size of an index', () => {
  test('is at most 25 bytes an entry for 200,000 entries with many different prices', () => {
    const rows = Array.from({ length: 200_000 }, (_, i) =>
      row(String(100_000 + i), i, {
        // 20,000 rates, three kinds of blocks, prices that began on one of 400 days.
        ratePerMinute: BigInt((i * 7919) % 20_000),
        initialSeconds: [1, 30, 60][i % 3] ?? 1,
        effectiveFrom: (i % 400) * 86_400_000,
      }),
    );
    const { bytes } = indexOf(rows);
    expect(bytes / rows.length).toBeLessThanOrEqual(25);
  });

  test('is at most 52 bytes an entry if no two entries have a price or a period in common', () => {
    const rows = Array.from({ length: 100_000 }, (_, i) =>
      row(String(100_000 + i), i, { ratePerMinute: BigInt(i), effectiveFrom: i }),
    );
    const index = indexOf(rows);
    expect(index.bytes / rows.length).toBeLessThanOrEqual(52);
    expect(index.find('177777', 77_777)).toMatchObject({ entryId: 77_777, ratePerMinute: 77_777n });
  });
});
