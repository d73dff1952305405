import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dialable, formatAddress, formatDuration, initialsOf, speakDuration } from './format.ts';

describe('durations', () => {
  test('show minutes and seconds, and hours only if there are any', () => {
    expect([0, 9, 61, 754, 3723].map(formatDuration)).toEqual(['0:00', '0:09', '1:01', '12:34', '1:02:03']);
  });
  test('are never negative, even if a clock is behind', () => {
    expect(formatDuration(-3)).toBe('0:00');
    expect(speakDuration(-3)).toBe('0 seconds');
  });
  test('have a text for screen readers', () => {
    expect(speakDuration(3661)).toBe('1 hour 1 minute 1 second');
    expect(speakDuration(120)).toBe('2 minutes');
  });
});

describe('numbers', () => {
  test('are grouped if they are North American, and unchanged otherwise', () => {
    expect(formatAddress('+14155550123')).toBe('+1 415 555 0123');
    expect(formatAddress('+442071838750')).toBe('+442071838750');
    expect(formatAddress('sip:ada@example.com')).toBe('sip:ada@example.com');
  });
  test('become dialable when pasted', () => {
    expect(dialable('+1 (415) 555-0123')).toBe('+14155550123');
    expect(dialable('0+1')).toBe('01');
  });
  test('contain only dialable characters after cleaning, which is idempotent', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const once = dialable(text);
        expect(dialable(once)).toBe(once);
        expect(once).toMatch(/^[+]?[\d*#]*$/);
      }),
    );
  });
});

test('initials are those of the first and last word that starts with a letter', () => {
  expect(['Grace Hopper', 'ada', '  Jean Luc  Picard ', '+1415', '', '李 小龙'].map(initialsOf)).toEqual([
    'GH',
    'A',
    'JP',
    null,
    null,
    '李小',
  ]);
});
