/** Every strategy by name. A new one in the protocol's enum does not compile until it has a line here. */
import type { QueueStrategy } from '@clarion/protocol';
import { compareIdle } from '../snapshot.ts';
import type { IdleAgent, OfferPlan, QueueSnapshot, Strategy } from '../snapshot.ts';
import { comparePriority, priority } from './priority.ts';
import { ringAll } from './ring-all.ts';
import { roundRobin } from './round-robin.ts';

const strategies = {
  ROUND_ROBIN: roundRobin,
  RING_ALL: ringAll,
  PRIORITY: priority,
} satisfies Record<QueueStrategy, Strategy>;

/** Which of two agents comes first in a queue of the strategy, if none has missed the call. */
export const agentOrder = {
  ROUND_ROBIN: compareIdle,
  RING_ALL: compareIdle,
  PRIORITY: comparePriority,
} satisfies Record<QueueStrategy, (a: IdleAgent, b: IdleAgent) => number>;

/** Which calls ring which agents now. The result names each agent at most once, and only idle agents of the snapshot. */
export const nextOffers = (strategy: QueueStrategy, snapshot: QueueSnapshot): OfferPlan[] =>
  strategies[strategy](snapshot);
