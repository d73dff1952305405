/** The filters of the call list, from the page's URL to query parameters of the API. Pure. */
import { windowOf } from './days.ts';

export const filterNames = [
  'customer',
  'status',
  'direction',
  'agent',
  'queue',
  'line',
  'ref',
  'from',
  'to',
] as const;
export type FilterName = (typeof filterNames)[number];
export type Filters = Record<FilterName, string>;

export const readFilters = (get: (name: string) => string): Filters => ({
  customer: get('customer'),
  status: get('status'),
  direction: get('direction'),
  agent: get('agent'),
  queue: get('queue'),
  line: get('line'),
  ref: get('ref'),
  from: get('from'),
  to: get('to'),
});

export const isFiltered = (filters: Filters): boolean => Object.values(filters).some((value) => value !== '');
export const noFilters = Object.fromEntries(filterNames.map((name) => [name, null])) as Record<
  FilterName,
  null
>;

const statuses = ['INITIATED', 'RINGING', 'IN_PROGRESS', 'TERMINATED', 'FAILED'] as const;
const directions = ['INBOUND', 'OUTBOUND'] as const;

/**
 * `live` is a status of this page: every call that has not ended. Unknown statuses and directions in the URL are ignored.
 */
export function queryOf(filters: Filters) {
  const { customer, agent, queue, line, ref, from, to } = filters;
  const status = statuses.find((known) => known === filters.status);
  const direction = directions.find((known) => known === filters.direction);
  return {
    ...(customer.trim() !== '' && { customer: customer.trim() }),
    ...(filters.status === 'live' && { live: true }),
    ...(status && { status }),
    ...(direction && { direction }),
    ...(agent !== '' && { agent_ref: agent }),
    ...(queue !== '' && { queue_ref: queue }),
    ...(line !== '' && { channel_ref: line }),
    ...(ref.trim() !== '' && { external_ref: ref.trim() }),
    ...windowOf({ from, to }),
  };
}
