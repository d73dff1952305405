import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dialable, formatAddress, formatDuration, initialsOf, speakDuration } from './format.ts';

describe('durations', () => {
  test('minutes and seconds, hours only when there are any', () => {
    expect([0, 9, 61, 754, 3723].map(formatDuration)).toEqual(['0:00', '0:09', '1:01', '12:34', '1:02:03']);
  });
  test('a clock that is behind never shows a negative time', () => {
    expect(formatDuration(-3)).toBe('0:00');
    expect(speakDuration(-3)).toBe('0 seconds');
  });
  test('are read out in words', () => {
    expect(speakDuration(3661)).toBe('1 hour 1 minute 1 second');
    expect(speakDuration(120)).toBe('2 minutes');
  });
});

describe('numbers', () => {
  test('North American ones are grouped, others stay as they are', () => {
    expect(formatAddress('+14155550123')).toBe('+1 415 555 0123');
    expect(formatAddress('+442071838750')).toBe('+442071838750');
    expect(formatAddress('sip:ada@example.com')).toBe('sip:ada@example.com');
  });
  test('what is pasted becomes a number that can be dialled', () => {
    expect(dialable('+1 (415) 555-0123')).toBe('+14155550123');
    expect(dialable('0+1')).toBe('01');
  });
  test('dialling twice cleaned is the same as once, and only dialable characters are left', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const once = dialable(text);
        expect(dialable(once)).toBe(once);
        expect(once).toMatch(/^[+]?[\d*#]*$/);
      }),
    );
  });
});

test('initials come from the first and last word that starts with a letter', () => {
  expect(['Grace Hopper', 'ada', '  Jean Luc  Picard ', '+1415', '', '李 小龙'].map(initialsOf)).toEqual([
    'GH',
    'A',
    'JP',
    null,
    null,
    '李小',
  ]);
});
