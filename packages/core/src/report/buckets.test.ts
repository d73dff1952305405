import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucketEdges } from './buckets.ts';

const edges = (from: string, to: string, interval: 'HOUR' | 'DAY' | 'WEEK' | 'MONTH', zone: string) =>
  bucketEdges({ from: new Date(from), to: new Date(to) }, interval, zone, 1000)?.map((edge) =>
    edge.toISOString(),
  );

test('days have 23 and 25 hours when clocks change', () => {
  expect(edges('2026-03-28T12:00Z', '2026-03-30T12:00Z', 'DAY', 'Europe/London')).toEqual([
    '2026-03-28T00:00:00.000Z',
    '2026-03-29T00:00:00.000Z',
    '2026-03-29T23:00:00.000Z',
    '2026-03-30T23:00:00.000Z',
  ]);
  expect(edges('2026-10-25T00:00Z', '2026-10-26T00:00Z', 'DAY', 'Europe/London')).toEqual([
    '2026-10-24T23:00:00.000Z',
    '2026-10-26T00:00:00.000Z',
  ]);
});

test('a day without a midnight begins with the change; a midnight that occurs twice begins its day once', () => {
  // Beirut went from 24:00 to 01:00 on 2022-03-27.
  expect(edges('2022-03-26T12:00Z', '2022-03-27T12:00Z', 'DAY', 'Asia/Beirut')).toEqual([
    '2022-03-25T22:00:00.000Z',
    '2022-03-26T22:00:00.000Z',
    '2022-03-27T21:00:00.000Z',
  ]);
  // Havana went from 01:00 back to 00:00 on 2026-11-01.
  expect(edges('2026-11-01T03:00Z', '2026-11-02T04:00Z', 'DAY', 'America/Havana')).toEqual([
    '2026-10-31T04:00:00.000Z',
    '2026-11-01T04:00:00.000Z',
    '2026-11-02T05:00:00.000Z',
  ]);
});

test('a date that a zone skipped has no bucket', () => {
  // Apia had no 2011-12-30.
  expect(edges('2011-12-29T12:00Z', '2011-12-31T12:00Z', 'DAY', 'Pacific/Apia')).toEqual([
    '2011-12-29T10:00:00.000Z',
    '2011-12-30T10:00:00.000Z',
    '2011-12-31T10:00:00.000Z',
    '2012-01-01T10:00:00.000Z',
  ]);
});

test('hours follow local time: a half-hour zone, a change by half an hour, an hour that occurs twice', () => {
  expect(edges('2026-01-01T00:00Z', '2026-01-01T01:00Z', 'HOUR', 'Asia/Kolkata')).toEqual([
    '2025-12-31T23:30:00.000Z',
    '2026-01-01T00:30:00.000Z',
    '2026-01-01T01:30:00.000Z',
  ]);
  // Lord Howe goes from 02:00 to 02:30 on 2026-10-04 (15:30Z the day before).
  expect(edges('2026-10-03T15:00Z', '2026-10-03T17:30Z', 'HOUR', 'Australia/Lord_Howe')).toEqual([
    '2026-10-03T14:30:00.000Z',
    '2026-10-03T15:30:00.000Z',
    '2026-10-03T16:00:00.000Z',
    '2026-10-03T17:00:00.000Z',
    '2026-10-03T18:00:00.000Z',
  ]);
  expect(edges('2026-10-25T00:00Z', '2026-10-25T03:00Z', 'HOUR', 'Europe/London')).toHaveLength(4);
});

test.each([
  // Lord Howe goes from 02:00 back to 01:30 on 2026-04-05 (15:00Z the day before).
  ['2026-04-04T14:59Z', '2026-04-04T14:00:00.000Z', '2026-04-04T15:00:00.000Z'],
  ['2026-04-04T15:00Z', '2026-04-04T15:00:00.000Z', '2026-04-04T15:30:00.000Z'],
  ['2026-04-04T15:10Z', '2026-04-04T15:00:00.000Z', '2026-04-04T15:30:00.000Z'],
  ['2026-04-04T15:30Z', '2026-04-04T15:30:00.000Z', '2026-04-04T16:30:00.000Z'],
  // And from 02:00 to 02:30 on 2026-10-04.
  ['2026-10-03T15:29Z', '2026-10-03T14:30:00.000Z', '2026-10-03T15:30:00.000Z'],
  ['2026-10-03T15:45Z', '2026-10-03T15:30:00.000Z', '2026-10-03T16:00:00.000Z'],
])(
  'a window that begins near a change by half an hour, at %s, has the buckets of one that began before',
  (from, first, second) => {
    const found = edges(from, new Date(Date.parse(from) + 1).toISOString(), 'HOUR', 'Australia/Lord_Howe');
    expect(found).toEqual([first, second]);
  },
);

test('weeks begin on Monday, months on the first', () => {
  expect(edges('2026-01-01T00:00Z', '2026-01-12T00:00:01Z', 'WEEK', 'UTC')).toEqual([
    '2025-12-29T00:00:00.000Z',
    '2026-01-05T00:00:00.000Z',
    '2026-01-12T00:00:00.000Z',
    '2026-01-19T00:00:00.000Z',
  ]);
  expect(edges('2025-12-31T23:59Z', '2026-02-28T00:00Z', 'MONTH', 'America/New_York')).toEqual([
    '2025-12-01T05:00:00.000Z',
    '2026-01-01T05:00:00.000Z',
    '2026-02-01T05:00:00.000Z',
    '2026-03-01T05:00:00.000Z',
  ]);
});

test('more buckets than allowed return null', () => {
  const hours = (count: number) =>
    bucketEdges({ from: new Date(0), to: new Date(count * 3_600_000) }, 'HOUR', 'UTC', 1000);
  expect(hours(1000)).toHaveLength(1001);
  expect(hours(1001)).toBe(null);
});

const zones = [
  'UTC',
  'Europe/London',
  'America/Havana',
  'Asia/Beirut',
  'Pacific/Apia',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Africa/Casablanca',
  'Pacific/Chatham',
  'America/Sao_Paulo',
];
const LENGTHS = {
  HOUR: [1, 3_600],
  DAY: [3_600 * 20, 86_400 * 2],
  WEEK: [86_400 * 5, 86_400 * 8],
  MONTH: [86_400 * 26, 86_400 * 32],
} as const;

test('buckets cover the window without gap or overlap, and each begins at its local time', () => {
  const cases = fc.record({
    zone: fc.constantFrom(...zones),
    interval: fc.constantFrom('HOUR' as const, 'DAY' as const, 'WEEK' as const, 'MONTH' as const),
    from: fc.date({ min: new Date('1975-01-01'), max: new Date('2037-01-01'), noInvalidDate: true }),
    hours: fc.integer({ min: 1, max: 900 }),
  });
  fc.assert(
    fc.property(cases, ({ zone, interval, from, hours }) => {
      const to = new Date(from.getTime() + hours * 3_600_000);
      const found = bucketEdges({ from, to }, interval, zone, 1000) ?? [];
      const [first, second] = found;
      const [last, beforeLast] = [found.at(-1), found.at(-2)];
      if (!first || !second || !last || !beforeLast) throw new Error('no bucket');
      expect(first <= from && from < second).toBe(true);
      expect(beforeLast < to && to <= last).toBe(true);
      const [shortest, longest] = LENGTHS[interval];
      found.slice(1).forEach((edge, i) => {
        const seconds = (edge.getTime() - (found[i] ?? edge).getTime()) / 1000;
        expect(seconds).toBeGreaterThanOrEqual(shortest);
        expect(seconds).toBeLessThanOrEqual(longest);
      });
      const wall = new Intl.DateTimeFormat('en', {
        timeZone: zone,
        weekday: 'short',
        day: 'numeric',
        minute: 'numeric',
      });
      const shown = found.map((edge) =>
        Object.fromEntries(wall.formatToParts(edge).map(({ type, value }) => [type, value])),
      );
      if (interval === 'WEEK') expect(shown.every(({ weekday }) => weekday === 'Mon')).toBe(true);
      if (interval === 'MONTH') expect(shown.every(({ day }) => day === '1')).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});
