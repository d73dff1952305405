import { describe, expect, test } from 'vitest';
import { DtmfDeduplicator, SAME_PRESS_MS, type DtmfSource } from './dtmf-deduplicator.ts';

/** Which of the reports `[digit, source, atMs]` count. */
const counted = (...reports: [string, DtmfSource, number][]): string => {
  const filter = new DtmfDeduplicator();
  return reports
    .filter(([digit, by, atMs]) => filter.isNew(digit, by, atMs))
    .map(([digit]) => digit)
    .join('');
};

describe('a key reported by a telephone event and by INFO', () => {
  test('counts once, in either order', () => {
    expect(counted(['5', 'event', 0], ['5', 'info', 300])).toBe('5');
    expect(counted(['5', 'info', 0], ['5', 'event', 300])).toBe('5');
  });

  test('counts twice if it is pressed twice, in any order of reports', () => {
    expect(counted(['5', 'event', 0], ['5', 'info', 100], ['5', 'event', 250], ['5', 'info', 350])).toBe(
      '55',
    );
    expect(counted(['5', 'event', 0], ['5', 'event', 250], ['5', 'info', 300], ['5', 'info', 550])).toBe(
      '55',
    );
  });

  test('counts once for any duration', () => {
    const filter = new DtmfDeduplicator();
    expect(filter.isNew('1', 'event', 0)).toBe(true);
    for (let atMs = 50; atMs <= 2_000; atMs += 50) filter.stillPressed('1', atMs);
    expect(filter.isNew('1', 'info', 2_100)).toBe(false);
    expect(filter.isNew('1', 'info', 2_200)).toBe(true);
  });

  test('counts again if the reports are too far apart to belong to one press', () => {
    expect(counted(['5', 'event', 0], ['5', 'info', SAME_PRESS_MS])).toBe('55');
  });
});

test('keys reported in only one way all count, at any speed', () => {
  expect(counted(['1', 'event', 0], ['1', 'event', 60], ['1', 'event', 120])).toBe('111');
  expect(counted(['1', 'info', 0], ['1', 'info', 1], ['2', 'info', 2])).toBe('112');
  expect(counted(['1', 'event', 0], ['2', 'info', 1])).toBe('12');
});
