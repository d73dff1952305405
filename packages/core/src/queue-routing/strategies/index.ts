/** Every strategy by name. A new one in the protocol's enum does not compile until it has a line here. */
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

/** Which calls ring which agents now. The result names each agent at most once, and only idle agents of the snapshot. */
export const nextOffers = (strategy: QueueStrategy, snapshot: QueueSnapshot): OfferPlan[] =>
  strategies[strategy](snapshot);
