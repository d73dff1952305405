import { expect, test } from 'vitest';
import { isFiltered, queryOf, readFilters } from './filters.ts';

const filtersOf = (search: string) => {
  const params = new URLSearchParams(search);
  return readFilters((name) => params.get(name) ?? '');
};

test('the URL determines the query of the API', () => {
  expect(
    queryOf(filtersOf('agent=ada&queue=sales&line=main&ref=order-1&customer= 0207 &direction=INBOUND')),
  ).toEqual({
    agent_ref: 'ada',
    queue_ref: 'sales',
    channel_ref: 'main',
    external_ref: 'order-1',
    customer: '0207',
    direction: 'INBOUND',
  });
  expect(queryOf(filtersOf('status=live'))).toEqual({ live: true });
  expect(queryOf(filtersOf('status=FAILED'))).toEqual({ status: 'FAILED' });
});

test('unknown filter values are omitted', () => {
  expect(queryOf(filtersOf('status=DANCING&direction=SIDEWAYS&from=soon&page=3'))).toEqual({});
  expect(isFiltered(filtersOf('page=3'))).toBe(false);
  expect(isFiltered(filtersOf('agent=ada'))).toBe(true);
});
