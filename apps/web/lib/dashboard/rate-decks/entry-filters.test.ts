import { expect, test } from 'vitest';
import { boundError, filterQuery, filtersOf, isFiltered, listQuery, nextSort } from './entry-filters.ts';

const filters = (search: string) => {
  const url = new URLSearchParams(search);
  return filtersOf((name) => url.get(name) ?? '');
};

test('without filters, the first page of all prices is asked for', () => {
  expect(listQuery(filters(''))).toEqual({ page: 1, limit: 50 });
  expect(isFiltered(filters('sort=rate&page=2'))).toBe(false);
});

test('every filter of the URL is in the query', () => {
  const all = filters('q=%2B44 20&status=ENDED&sort=-rate&min=0,01&max=1.5&page=3');
  expect(listQuery(all)).toEqual({
    q: '+44 20',
    status: 'ENDED',
    sort: '-rate',
    min_rate: '0.01',
    max_rate: '1.5',
    page: 3,
    limit: 50,
  });
  expect(filterQuery(all)).not.toHaveProperty('page');
  expect(isFiltered(all)).toBe(true);
});

test('what the URL cannot mean is ignored', () => {
  expect(listQuery(filters('status=NEW&sort=price&page=-1&min=abc'))).toEqual({ page: 1, limit: 50 });
});

test.each([
  ['', true],
  ['0.05', true],
  ['0.', true],
  ['abc', false],
  ['-1', false],
  ['0.1234567', false],
])('the bound %j is accepted: %s', (text, accepted) => {
  expect(boundError(text) === undefined).toBe(accepted);
});

test('a second press on the rate shows the highest first', () => {
  expect(nextSort('rate', 'prefix')).toBe('rate');
  expect(nextSort('rate', 'rate')).toBe('-rate');
  expect(nextSort('rate', '-rate')).toBe('rate');
  expect(nextSort('prefix', '-rate')).toBe('prefix');
});
