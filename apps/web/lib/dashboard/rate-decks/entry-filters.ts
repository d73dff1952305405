/** The filters of a deck's prices, as they are in the page's URL → the query of the API. Pure. */
import { entryStatuses, type EntryStatus } from './entry-status.ts';
import type { EntriesQuery } from './resources.ts';

export const PAGE_ROWS = 50;

/** In force and scheduled. */
export const NOT_ENDED = '';
export const statusChoices = [
  { value: NOT_ENDED, label: 'In force and scheduled' },
  { value: 'CURRENT', label: 'In force' },
  { value: 'SCHEDULED', label: 'Scheduled' },
  { value: 'ENDED', label: 'Ended (history)' },
];

export const sorts = ['prefix', 'destination', 'rate', '-rate'] as const;
export type Sort = (typeof sorts)[number];

/** The names in the URL. */
export const FILTER_NAMES = ['q', 'status', 'min', 'max'] as const;

export interface EntryFilters {
  q: string;
  status: EntryStatus | null;
  sort: Sort;
  min: string;
  max: string;
  page: number;
}

const isStatus = (text: string): text is EntryStatus => text in entryStatuses;
const isSort = (text: string): text is Sort => sorts.some((sort) => sort === text);

export function filtersOf(get: (name: string) => string): EntryFilters {
  const [status, sort, page] = [get('status'), get('sort'), Number(get('page'))];
  return {
    q: get('q').trim(),
    status: isStatus(status) ? status : null,
    sort: isSort(sort) ? sort : 'prefix',
    min: decimalPoint(get('min')),
    max: decimalPoint(get('max')),
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
}

/** Many keyboards have a decimal comma. */
export const decimalPoint = (text: string): string => text.trim().replace(',', '.');

export const isFiltered = ({ q, status, min, max }: EntryFilters): boolean =>
  q !== '' || status !== null || min !== '' || max !== '';

/** Also for an export, which has no pages. */
export const filterQuery = ({ q, status, sort, min, max }: EntryFilters) =>
  ({
    ...(q !== '' && { q }),
    ...(status !== null && { status }),
    ...(sort !== 'prefix' && { sort }),
    ...(isBound(min) && { min_rate: min }),
    ...(isBound(max) && { max_rate: max }),
  }) satisfies EntriesQuery;

export const listQuery = (filters: EntryFilters): EntriesQuery => ({
  ...filterQuery(filters),
  page: filters.page,
  limit: PAGE_ROWS,
});

const isBound = (text: string): boolean => text !== '' && boundError(text) === undefined;

/** At a bound that the API would reject, which is therefore not sent. */
export function boundError(text: string): string | undefined {
  return text === '' || /^\d{1,12}(\.\d{0,6})?$/.test(text) ? undefined : 'Enter a number such as 0.05.';
}

/** The order after a press on a column's header. */
export function nextSort(column: 'prefix' | 'destination' | 'rate', current: Sort): Sort {
  return column === 'rate' && current === 'rate' ? '-rate' : column;
}
