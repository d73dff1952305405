import { expect, test } from 'vitest';
import { RecentIds } from './recent-ids.ts';

test('an ID is accepted once, and again after many others', () => {
  const ids = new RecentIds();
  expect(ids.add('first')).toBe(true);
  expect(ids.add('first')).toBe(false);
  for (let other = 1; other < 64; other += 1) expect(ids.add(`${other}`)).toBe(true);
  expect(ids.add('first')).toBe(false);
  expect(ids.add('64')).toBe(true);
  expect(ids.add('first')).toBe(true);
});
