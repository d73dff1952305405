import type { Queue } from '../../../../../../lib/dashboard/edit/resources.ts';

export type Strategy = Queue['strategy'];

export const strategyNames: Record<Strategy, string> = {
  ROUND_ROBIN: 'One after another',
  RING_ALL: 'All at once',
  PRIORITY: 'By priority',
};

/** In the order in which they are offered. */
export const strategies = Object.keys(strategyNames) as readonly Strategy[];

export const strategyNotes: Record<Strategy, string> = {
  ROUND_ROBIN: 'Rings the member who has been free the longest; after the ring time the next one.',
  RING_ALL: 'Rings everybody who is free. Whoever answers first has the call.',
  PRIORITY: 'Rings members of priority 1 first, then 2, and so on. Equal ones take turns.',
};
