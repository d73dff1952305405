import type { Queue } from '#lib/dashboard/edit/resources.ts';

export type Strategy = Queue['strategy'];

export const strategyNames: Record<Strategy, string> = {
  ROUND_ROBIN: 'Round robin',
  RING_ALL: 'Ring all',
  PRIORITY: 'Priority',
};

/** In the order in which they are offered. */
export const strategies = Object.keys(strategyNames) as readonly Strategy[];

export const strategyNotes: Record<Strategy, string> = {
  ROUND_ROBIN: 'Rings the member who has been idle longest. After the ring time, rings the next member.',
  RING_ALL: 'Rings all available members. The first to answer gets the call.',
  PRIORITY:
    'Rings members with priority 1 first, then 2, and so on. Members with the same priority take turns.',
};
