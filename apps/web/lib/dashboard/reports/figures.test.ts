import { expect, test } from 'vitest';
import { bucketName, intervalFor, intervalsFor, pointsTrend, trendOf } from './figures.ts';

test('an increase is good or bad depending on the figure', () => {
  expect(trendOf(120, 100, 'up')).toEqual({
    direction: 'up',
    text: '20% more than the previous period',
    tone: 'positive',
  });
  expect(trendOf(80, 100, 'down')).toEqual({
    direction: 'down',
    text: '20% less than the previous period',
    tone: 'positive',
  });
  expect(trendOf(5, 0, 'down')).toEqual({
    direction: 'up',
    text: 'None in the previous period',
    tone: 'neutral',
  });
  expect(trendOf(5, 5, null)).toMatchObject({ direction: 'flat' });
  expect(trendOf(5, null, 'up')).toBeUndefined();
  expect(pointsTrend(0.93, 0.9)).toMatchObject({
    text: '3 points more than the previous period',
    tone: 'positive',
  });
});

test("a period is divided into a readable number of intervals, within the API's limit", () => {
  expect(intervalFor({ from: '2026-03-01', to: '2026-03-01' })).toBe('HOUR');
  expect(intervalFor({ from: '2026-03-01', to: '2026-03-14' })).toBe('DAY');
  expect(intervalFor({ from: '2026-01-01', to: '2026-12-31' })).toBe('WEEK');
  expect(intervalsFor({ from: '2026-01-01', to: '2026-12-31' })).not.toContain('HOUR');
});

test('an interval is labelled in the time zone of the report', () => {
  const start = '2026-03-01T23:00:00.000Z';
  expect(bucketName(start, 'DAY', 'Europe/Berlin')).toBe('Mon 2 Mar');
  expect(bucketName(start, 'DAY', 'UTC')).toBe('Sun 1 Mar');
  expect(bucketName(start, 'WEEK', 'Europe/Berlin')).toBe('Week of 2 Mar');
});
