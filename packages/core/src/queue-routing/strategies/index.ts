/** Every strategy by its name; a new one in the protocol's enum does not compile until it is here. */
import type { QueueStrategy } from '@clarion/protocol';
import type { OfferPlan, QueueSnapshot, Strategy } from '../snapshot.ts';
import { priority } from './priority.ts';
import { ringAll } from './ring-all.ts';
import { roundRobin } from './round-robin.ts';

const strategies = {
  ROUND_ROBIN: roundRobin,
  RING_ALL: ringAll,
  PRIORITY: priority,
} satisfies Record<QueueStrategy, Strategy>;

/** Which calls ring at whom now. Names each agent once at most, and only agents who are free in the snapshot. */
export const nextOffers = (strategy: QueueStrategy, snapshot: QueueSnapshot): OfferPlan[] =>
  strategies[strategy](snapshot);
