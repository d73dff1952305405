import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatBytes, formatClock, formatDay, formatDuration, formatRelative, initialsOf } from './format.ts';

describe('formatted figures', () => {
  test.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1_500, '1.5 kB'],
    [20_000_000, '20 MB'],
    [123_456_789, '123 MB'],
  ])('%i bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  test.each([
    [0, '0:00', '0 s'],
    [59.9, '0:59', '1 min'],
    [75, '1:15', '1 min 15 s'],
    [3_600, '1:00:00', '1 h'],
    [3_700, '1:01:40', '1 h 1 min'],
    [-4, '0:00', '0 s'],
  ])('%d seconds are %s on a clock and %s as text', (seconds, clock, text) => {
    expect(formatClock(seconds)).toBe(clock);
    expect(formatDuration(seconds)).toBe(text);
  });

  test('a date is the same in every time zone, and an invalid date is unchanged', () => {
    expect(formatDay('2026-11-21')).toBe('21 Nov 2026');
    expect(formatDay('')).toBe('');
  });

  const now = Date.parse('2026-11-21T12:00:00Z');
  const ago = (seconds: number) => formatRelative(new Date(now - seconds * 1_000), now);
  test('a past time is relative, and absolute after a week', () => {
    expect([ago(5), ago(90), ago(7_200), ago(86_400), ago(-5), ago(-45), ago(-300)]).toEqual([
      'just now',
      '1 minute ago',
      '2 hours ago',
      'yesterday',
      'just now',
      'in a moment',
      'in 5 minutes',
    ]);
    expect(formatRelative(new Date('2026-10-03T12:00:00Z'), now)).toBe('3 Oct');
    expect(formatRelative(new Date('2025-10-03T12:00:00Z'), now)).toBe('3 Oct 2025');
  });

  test('initials are those of the first and last word, in any script', () => {
    expect([
      initialsOf('Grace Brewster Hopper'),
      initialsOf('acme'),
      initialsOf('  '),
      initialsOf('Øyvind 李'),
    ]).toEqual(['GH', 'A', '?', 'Ø李']);
  });

  test('a clock can be parsed back to the same whole seconds', () => {
    const seconds = fc.double({ min: 0, max: 1e6, noNaN: true });
    const parts = (text: string) => text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
    fc.assert(
      fc.property(seconds, (time) => {
        expect(parts(formatClock(time))).toBe(Math.floor(time));
      }),
    );
  });
});
