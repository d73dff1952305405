/**
 * PRIORITY: one agent at a time, the lowest number first, then connected before asleep, then the longest idle; after a missed offer the next
 * agent.
 */
import { compareIdle, missedBy, oneAgentEach } from '../snapshot.ts';
import type { IdleAgent, Strategy } from '../snapshot.ts';

export const priority: Strategy = (snapshot) =>
  oneAgentEach(
    snapshot,
    (call, a, b) => missedBy(call, a.agentId) - missedBy(call, b.agentId) || comparePriority(a, b),
  );

export const comparePriority = (a: IdleAgent, b: IdleAgent): number =>
  a.priority - b.priority || compareIdle(a, b);
