import { expect, test } from 'vitest';
import { countDays, dayOf, daysBefore, lastDays, midnight, windowOf } from './days.ts';

test('a range of days starts at its first midnight and ends at the midnight after its last day', () => {
  const { from, to } = windowOf({ from: '2026-03-01', to: '2026-03-07' });
  expect(from).toBe(midnight('2026-03-01')?.toISOString());
  expect(to).toBe(new Date(2026, 2, 8).toISOString());
  expect(windowOf({ from: '', to: '' })).toEqual({});
  expect(windowOf({ from: 'yesterday', to: '2026-03-07' })).toEqual({ to });
});

test('the previous period has the same number of days and ends where this one begins', () => {
  const week = { from: '2026-03-02', to: '2026-03-08' };
  expect(countDays(week)).toBe(7);
  expect(daysBefore(week)).toEqual({ from: '2026-02-23', to: '2026-03-01' });
  expect(daysBefore({ from: '2026-01-01', to: '2026-01-01' })).toEqual({
    from: '2025-12-31',
    to: '2025-12-31',
  });
});

test('the last days end today', () => {
  const now = new Date(2026, 0, 2, 15);
  expect(lastDays(now, 3)).toEqual({ from: '2025-12-31', to: '2026-01-02' });
  expect(dayOf(now)).toBe('2026-01-02');
});
