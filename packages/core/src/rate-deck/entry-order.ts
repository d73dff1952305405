/** The orders in which entries are listed and exported. */
import type { Prisma } from '@clarion/db';
import type { RateEntrySort } from '@clarion/protocol/v1/price/rate-entries';

const byPrefix: Prisma.RateEntryOrderByWithRelationInput[] = [
  { prefix: 'asc' },
  { effectiveFrom: 'asc' },
  { id: 'asc' },
];
const orders: Record<RateEntrySort, Prisma.RateEntryOrderByWithRelationInput[]> = {
  prefix: byPrefix,
  destination: [{ destination: { sort: 'asc', nulls: 'last' } }, ...byPrefix],
  rate: [{ rate: 'asc' }, ...byPrefix],
  '-rate': [{ rate: 'desc' }, ...byPrefix],
};

export const entryOrder = (sort: RateEntrySort): Prisma.RateEntryOrderByWithRelationInput[] => orders[sort];
